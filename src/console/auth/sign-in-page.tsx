import { Button, Divider, PasswordInput, Text, TextInput } from '@mantine/core';
import { leavePage } from '../hooks/leave-page.js';
import { useAction } from '../hooks/use-action.js';
import { useIsHydrated } from '../hooks/use-is-hydrated.js';
import { paths, safeReturnPath } from '../paths.js';
import { TextLink } from '../ui/links.js';
import { AuthCard, SubmitButton } from './auth-card.js';
import { useRequestedReturn } from './requested-return.js';
import { callAuth } from './use-signed-in-user.js';

/** Sign-in by password or passkey. Afterwards the page in `?return=` opens. */
export function SignInPage() {
  const returnTo = useRequestedReturn();
  const isHydrated = useIsHydrated();
  const isDeleted = isHydrated && new URLSearchParams(window.location.search).get('account') === 'deleted';

  // Loads a new document, so that no data of a previous account stays in memory.
  const proceed = () => leavePage(() => window.location.replace(safeReturnPath(returnTo)));
  const signIn = useAction(async ({ email = '', password = '' }: Record<string, string>) => {
    await callAuth((client) => client.signIn.email({ email, password }));
    await proceed();
  });
  const signInWithPasskey = useAction(async () => {
    await callAuth((client) => client.signIn.passkey());
    await proceed();
  });
  const isBusy = signIn.isBusy || signInWithPasskey.isBusy;

  return (
    <AuthCard
      title="Sign in"
      error={signIn.error ?? signInWithPasskey.error}
      onSubmit={(fields) => {
        signInWithPasskey.clearError();
        void signIn.run(fields);
      }}
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
      <TextInput label="E-mail address" name="email" type="email" autoComplete="username webauthn" required />
      <PasswordInput label="Password" name="password" autoComplete="current-password" required />
      <SubmitButton isBusy={signIn.isBusy} disabled={isBusy}>
        Sign in
      </SubmitButton>
      <Divider label="or" labelPosition="center" />
      <Button
        variant="default"
        loading={signInWithPasskey.isBusy}
        disabled={isBusy || !isHydrated}
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
