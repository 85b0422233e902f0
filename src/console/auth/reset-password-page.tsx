import { Button, Checkbox, List, PasswordInput, Text } from '@mantine/core';
import { useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { useAction } from '../hooks/use-action.js';
import { paths } from '../paths.js';
import { Timestamp } from '../ui/timestamp.js';
import { AuthCard } from './auth-card.js';
import { authClient, orThrow, UsedLink } from './auth-client.js';

/** A passkey that opens the account with the new password, too. */
interface RemainingPasskey {
  id: string;
  name: string | null;
  createdAt: string;
}

/** The page to which a mailed link leads: with a token that allows one new password, or with an error if the link has expired. */
export function ResetPasswordPage() {
  const [search] = useSearchParams();
  const [, navigate] = useLocation();
  const [passkeys, setPasskeys] = useState<RemainingPasskey[]>();
  const token = search.get('token');
  const reset = useAction(async (newPassword: string, removePasskeys: boolean) => {
    const body = { newPassword, token: token ?? '', removePasskeys };
    const done = await orThrow(authClient.$fetch<{ passkeys: RemainingPasskey[] }>('/reset-password', { method: 'POST', body }));
    setPasskeys(done?.passkeys ?? []);
    // It works once: a reload is not to ask for another password.
    navigate(paths.resetPassword, { replace: true });
  });

  if (passkeys) {
    return (
      <AuthCard title="The new password holds">
        <Text role="status">All devices were signed out. Sign in with the new password.</Text>
        {passkeys.length > 0 && (
          <>
            <Text>These passkeys still open your account. Remove under Account what is not yours:</Text>
            <List>
              {passkeys.map(({ id, name, createdAt }) => (
                <List.Item key={id}>
                  {name || 'Passkey'}, added <Timestamp at={createdAt} />
                </List.Item>
              ))}
            </List>
          </>
        )}
        <Button component={Link} href={paths.signIn()}>
          To the sign-in
        </Button>
      </AuthCard>
    );
  }
  if (!token || reset.error instanceof UsedLink) {
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
    <AuthCard
      title="Choose a new password"
      error={reset.error}
      onSubmit={({ password = '', removePasskeys }) => void reset.run(password, removePasskeys === 'on')}
    >
      <PasswordInput
        label="New password"
        description="At least 8 characters"
        name="password"
        autoComplete="new-password"
        required
        minLength={8}
      />
      <Text size="sm">
        All devices are signed out. If the address of the account was never confirmed, somebody else may have signed up with it: then its
        API tokens are revoked and its passkeys removed, too.
      </Text>
      <Checkbox
        name="removePasskeys"
        label="Remove my passkeys, too"
        description="If somebody else was in your account, they may have added one."
      />
      <Button type="submit" loading={reset.isBusy}>
        Set the password
      </Button>
    </AuthCard>
  );
}
