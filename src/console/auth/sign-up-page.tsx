import { Anchor, Button, PasswordInput, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { nameRule } from '../format/name-rule.js';
import { useAction } from '../hooks/use-action.js';
import { paths, safeReturnPath } from '../paths.js';
import { leavePage } from '../shell/leave-page.js';
import { askedReturn } from './asked-return.js';
import { AuthCard } from './auth-card.js';
import { authClient, orThrow } from './auth-client.js';

/** Sign-up. The page of `?return=`, or the console, opens right after it, unless the address has to be verified first. */
export function SignUpPage() {
  const [mailedTo, setMailedTo] = useState<string>();
  const returnTo = askedReturn();
  const signUp = useAction(async ({ name = '', email = '', password = '' }: Record<string, string>) => {
    await orThrow(authClient.signUp.email({ name, email, password, callbackURL: paths.addressVerified }));
    if (await orThrow(authClient.getSession())) await leavePage(() => window.location.replace(safeReturnPath(returnTo)));
    else setMailedTo(email);
  });

  if (mailedTo) {
    return (
      <AuthCard title="Look into your mail">
        <Text>
          We sent a link to <strong>{mailedTo}</strong>. Open it to verify the address, then sign in.
        </Text>
        <Button component={Link} href={paths.signIn(returnTo)}>
          To the sign-in
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
          You have one already?{' '}
          <Anchor component={Link} href={paths.signIn(returnTo)} size="sm" underline="always">
            Sign in
          </Anchor>
        </Text>
      }
    >
      <TextInput label="Name" name="name" autoComplete="name" {...nameRule} maxLength={200} />
      <TextInput label="E-mail address" name="email" type="email" autoComplete="username" required />
      <PasswordInput
        label="Password"
        description="At least 8 characters"
        name="password"
        autoComplete="new-password"
        required
        minLength={8}
      />
      <Button type="submit" loading={signUp.isBusy}>
        Create the account
      </Button>
    </AuthCard>
  );
}
