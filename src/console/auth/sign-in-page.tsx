import { Anchor, Button, Divider, PasswordInput, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { useAction } from '../hooks/use-action.js';
import { paths, safeReturnPath } from '../paths.js';
import { leavePage } from '../shell/leave-page.js';
import { askedReturn } from './asked-return.js';
import { AuthCard } from './auth-card.js';
import { authClient, orThrow } from './auth-client.js';

/** Sign-in by password or passkey; afterwards the page of `?return=` is opened. */
export function SignInPage() {
  const [email, setEmail] = useState('');
  const returnTo = askedReturn();
  const isDeleted = new URLSearchParams(window.location.search).get('account') === 'deleted';

  // By loading a new document, so that nothing of an account that was signed in before stays in memory.
  const proceed = () => leavePage(() => window.location.replace(safeReturnPath(returnTo)));
  const signIn = useAction(async (password: string) => {
    await orThrow(authClient.signIn.email({ email, password }));
    await proceed();
  });
  const signInWithPasskey = useAction(async () => {
    await orThrow(authClient.signIn.passkey());
    await proceed();
  });
  const isBusy = signIn.isBusy || signInWithPasskey.isBusy;

  return (
    <AuthCard
      title="Sign in"
      error={signIn.error ?? signInWithPasskey.error}
      onSubmit={({ password = '' }) => {
        signInWithPasskey.clearError();
        void signIn.run(password);
      }}
      footer={
        <>
          <Text size="sm">
            New here?{' '}
            <Anchor component={Link} href={paths.signUp(returnTo)} size="sm" underline="always">
              Create an account
            </Anchor>
          </Text>
          <Anchor component={Link} href={paths.forgotPassword} size="sm" underline="always">
            I forgot my password
          </Anchor>
        </>
      }
    >
      {isDeleted && <Text role="status">Your account is deleted. Its tokens are refused from now on.</Text>}
      {returnTo && <Text size="sm">Sign in to go on where you were.</Text>}
      <TextInput
        label="E-mail address"
        name="email"
        type="email"
        autoComplete="username webauthn"
        required
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <PasswordInput label="Password" name="password" autoComplete="current-password" required />
      <Button type="submit" loading={signIn.isBusy} disabled={isBusy}>
        Sign in
      </Button>
      <Divider label="or" labelPosition="center" />
      <Button
        variant="default"
        loading={signInWithPasskey.isBusy}
        disabled={isBusy}
        onClick={() => {
          signIn.clearError();
          void signInWithPasskey.run();
        }}
      >
        Sign in with a passkey
      </Button>
    </AuthCard>
  );
}
