import { Button, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { nameRule } from '../format/format.js';
import { leavePage } from '../hooks/leave-page.js';
import { useAction } from '../hooks/use-action.js';
import { paths, safeReturnPath } from '../paths.js';
import { TextLink } from '../ui/links.js';
import { AuthCard, SubmitButton } from './auth-card.js';
import { NewPasswordInput } from './new-password-input.js';
import { useRequestedReturn } from './requested-return.js';
import { callAuth } from './use-signed-in-user.js';

/** Sign-up. Afterwards the page in `?return=` or the console opens, unless the address has to be verified first. */
export function SignUpPage() {
  const [mailedTo, setMailedTo] = useState<string>();
  const returnTo = useRequestedReturn();
  const signUp = useAction(async ({ name = '', email = '', password = '' }: Record<string, string>) => {
    await callAuth((client) => client.signUp.email({ name, email, password, callbackURL: paths.addressVerified }));
    if (await callAuth((client) => client.getSession())) await leavePage(() => window.location.replace(safeReturnPath(returnTo)));
    else setMailedTo(email);
  });

  if (mailedTo) {
    return (
      <AuthCard title="Check your email">
        <Text>
          We sent a link to <strong>{mailedTo}</strong>. Open it to verify your address, then sign in.
        </Text>
        <Button component={Link} href={paths.signIn(returnTo)}>
          Sign in
        </Button>
      </AuthCard>
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
      <TextInput label="E-mail address" name="email" type="email" autoComplete="username" required />
      <NewPasswordInput label="Password" name="password" />
      <SubmitButton isBusy={signUp.isBusy}>Create account</SubmitButton>
    </AuthCard>
  );
}
