import '../styles/console-styles.js';
import { Button, Divider, PasswordInput, Text, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Route, Switch } from 'wouter';
import { nameRule } from '../format.js';
import { leavePage } from '../hooks/leave-page.js';
import { useIsHydrated } from '../hooks/shared-value.js';
import { useAction } from '../hooks/use-action.js';
import { paths, safeReturnPath } from '../paths.js';
import { lazyPage } from '../shell/page-boundary.js';
import { TextLink } from '../ui/parts.js';
import { AuthCard, MessageCard, NewPasswordInput, SubmitButton, useRequestedReturn } from './auth-card.js';
import { callAuth, preloadAuthClient } from './use-signed-in-user.js';

// Opened by mailed links.
const ResetPasswordPage = lazyPage(() => import('./reset-password-page.js'));
const VerifyEmailPage = lazyPage(() => import('./verify-email-page.js'));

export default function AuthPages() {
  // Here before the form is filled in.
  useEffect(preloadAuthClient, []);
  return (
    <Switch>
      <Route path={paths.signIn()} component={SignInPage} />
      <Route path={paths.signUp()} component={SignUpPage} />
      <Route path={paths.forgotPassword} component={ForgotPasswordPage} />
      <Route path={paths.resetPassword} component={ResetPasswordPage} />
      <Route path={paths.verifyEmail} component={VerifyEmailPage} />
    </Switch>
  );
}

function ForgotPasswordPage() {
  const [mailedTo, setMailedTo] = useState<string>();
  const request = useAction(async (email: string) => {
    await callAuth((client) => client.requestPasswordReset({ email, redirectTo: paths.resetPassword }));
    setMailedTo(email);
  });
  return (
    <AuthCard
      title={mailedTo ? 'Check your email' : 'Reset your password'}
      error={request.error}
      onSubmit={({ email = '' }) => void request.run(email)}
      footer={
        <TextLink href={paths.signIn()} fz="sm">
          Back to sign in
        </TextLink>
      }
    >
      {mailedTo ? (
        <Text role="status">
          If there is an account for <strong>{mailedTo}</strong>, a link to reset its password has been sent. It works for one hour.
        </Text>
      ) : (
        <>
          <TextInput label="Email address of the account" name="email" type="email" autoComplete="username" required />
          <SubmitButton loading={request.isBusy}>Send the link</SubmitButton>
        </>
      )}
    </AuthCard>
  );
}

/** Sign-in by password or passkey. Afterwards the page in `?return=` opens. */
function SignInPage() {
  const returnTo = useRequestedReturn();
  const isHydrated = useIsHydrated();
  const isDeleted = isHydrated && new URLSearchParams(window.location.search).get('account') === 'deleted';
  /** By the fields of the form, or by a passkey. */
  const signIn = useAction(async (fields?: Record<string, string>) => {
    const { email = '', password = '' } = fields ?? {};
    await callAuth<unknown>((client) => (fields ? client.signIn.email({ email, password }) : client.signIn.passkey()));
    // Loads a new document, so that no data of a previous account stays in memory.
    await leavePage(() => window.location.replace(safeReturnPath(returnTo)));
  });
  const isByPassword = signIn.running?.[0] !== undefined;

  return (
    <AuthCard
      title="Sign in"
      error={signIn.error}
      onSubmit={(fields) => void signIn.run(fields)}
      footer={
        <>
          <Text size="sm">
            New here? <TextLink href={paths.signUp(returnTo)}>Create an account</TextLink>
          </Text>
          <TextLink href={paths.forgotPassword} fz="sm">
            Forgot your password?
          </TextLink>
        </>
      }
    >
      {isDeleted && <Text role="status">Your account was deleted. Its tokens no longer work.</Text>}
      {returnTo && <Text size="sm">Sign in to continue where you left off.</Text>}
      <TextInput label="Email address" name="email" type="email" autoComplete="username webauthn" required />
      <PasswordInput label="Password" name="password" autoComplete="current-password" required />
      <SubmitButton loading={isByPassword} disabled={signIn.isBusy}>
        Sign in
      </SubmitButton>
      <Divider label="or" labelPosition="center" />
      <Button
        variant="default"
        loading={signIn.isBusy && !isByPassword}
        disabled={signIn.isBusy || !isHydrated}
        onClick={() => void signIn.run()}
      >
        Sign in with a passkey
      </Button>
    </AuthCard>
  );
}

/** Sign-up. Afterwards the page in `?return=` or the console opens, unless the address has to be verified first. */
function SignUpPage() {
  const [mailedTo, setMailedTo] = useState<string>();
  const returnTo = useRequestedReturn();
  const signUp = useAction(async ({ name = '', email = '', password = '' }: Record<string, string>) => {
    await callAuth((client) => client.signUp.email({ name, email, password, callbackURL: paths.addressVerified }));
    if (await callAuth((client) => client.getSession())) await leavePage(() => window.location.replace(safeReturnPath(returnTo)));
    else setMailedTo(email);
  });

  if (mailedTo) {
    return (
      <MessageCard title="Check your email" href={paths.signIn(returnTo)} action="Sign in">
        We sent a link to <strong>{mailedTo}</strong>. Open it to verify your address, then sign in.
      </MessageCard>
    );
  }
  return (
    <AuthCard
      title="Create an account"
      error={signUp.error}
      onSubmit={(fields) => void signUp.run(fields)}
      footer={
        <Text size="sm">
          Already have an account? <TextLink href={paths.signIn(returnTo)}>Sign in</TextLink>
        </Text>
      }
    >
      <TextInput label="Name" name="name" autoComplete="name" {...nameRule} maxLength={200} />
      <TextInput label="Email address" name="email" type="email" autoComplete="username" required />
      <NewPasswordInput label="Password" name="password" />
      <SubmitButton loading={signUp.isBusy}>Create account</SubmitButton>
    </AuthCard>
  );
}
