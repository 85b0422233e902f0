import { Button, PasswordInput, Text } from '@mantine/core';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { useAction } from '../parts/use-action.js';
import { paths } from '../paths.js';
import { AuthCard } from './auth-card.js';
import { authClient, orThrow } from './auth-client.js';

/** The page to which a mailed link leads: with a token that allows one new password, or with an error if the link has expired. */
export function ResetPasswordPage() {
  const [search] = useSearchParams();
  const [isDone, setIsDone] = useState(false);
  const token = search.get('token');
  const reset = useAction(async (newPassword: string) => {
    await orThrow(authClient.resetPassword({ newPassword, token: token ?? '' }));
    setIsDone(true);
  });

  if (isDone) {
    return (
      <AuthCard title="The new password holds">
        <Text role="status">All devices were signed out. Sign in with the new password.</Text>
        <Button component={Link} href={paths.signIn()}>
          To the sign-in
        </Button>
      </AuthCard>
    );
  }
  if (!token) {
    return (
      <AuthCard title="This link does not work any more">
        <Text>It was used already, or it is older than an hour.</Text>
        <Button component={Link} href={paths.forgotPassword}>
          Send me a new one
        </Button>
      </AuthCard>
    );
  }
  return (
    <AuthCard title="Choose a new password" error={reset.error} onSubmit={({ password = '' }) => void reset.run(password)}>
      <PasswordInput
        label="New password"
        description="At least 8 characters"
        name="password"
        autoComplete="new-password"
        required
        minLength={8}
        maxLength={128}
      />
      <Button type="submit" loading={reset.isBusy}>
        Set the password
      </Button>
    </AuthCard>
  );
}
