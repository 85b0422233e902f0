import { Button, List, PasswordInput, Skeleton, Text } from '@mantine/core';
import { useCallback, useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { useAction } from '../hooks/use-action.js';
import { useRemote } from '../hooks/use-remote.js';
import { paths } from '../paths.js';
import { LoadFailed } from '../ui/load-failed.js';
import { type Access, AccessChoice, idsOf, keptOf, passkeyName, tokenName } from './access-choice.js';
import { AuthCard } from './auth-card.js';
import { authClient, InvalidLinkError, orThrow } from './auth-client.js';

type Outcome = Access & { removed: Access };

/** The page to which a mailed link leads: with a token that allows one new password, or with an error if the link has expired. */
export function ResetPasswordPage() {
  const [search] = useSearchParams();
  const [, navigate] = useLocation();
  const [kept, setKept] = useState<string[]>([]);
  const [outcome, setOutcome] = useState<Outcome>();
  const token = search.get('token');
  const access = useRemote(
    useCallback(async () => token && orThrow(authClient.$fetch<Access>(`/reset-password/${encodeURIComponent(token)}`)), [token]),
  );
  const reset = useAction(async (newPassword: string) => {
    const body = { newPassword, token, ...(access.data && keptOf(access.data, kept)) };
    setOutcome((await orThrow(authClient.$fetch<Outcome>('/reset-password', { method: 'POST', body })))!);
    // It works once: a reload is not to ask for another password.
    navigate(paths.resetPassword, { replace: true });
  });

  if (outcome) return <NewPasswordHolds outcome={outcome} />;
  if (!token || access.error instanceof InvalidLinkError || reset.error instanceof InvalidLinkError) {
    return (
      <AuthCard title="This link does not work any more">
        <Text>It was used already, or it is older than an hour.</Text>
        <Button component={Link} href={paths.forgotPassword}>
          Send me a new one
        </Button>
      </AuthCard>
    );
  }
  if (!access.data) {
    return (
      <AuthCard title="Choose a new password">
        {access.error ? (
          <LoadFailed what="The link" message={access.error.message} onRetry={access.reload} />
        ) : (
          <Skeleton height={160} aria-busy="true" />
        )}
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
      />
      <Text size="sm">All devices are signed out.</Text>
      {idsOf(access.data).length > 0 && (
        <AccessChoice
          access={access.data}
          label="What else opens the account: tick what stays"
          description="If somebody else was in your account, they may have added some of these. Passkeys that you do not tick are removed. Tokens that you do not tick are revoked, and programs that use them stop. A paid plan goes on, and you can issue a new token for it."
          kept={kept}
          onChange={setKept}
        />
      )}
      <Button type="submit" loading={reset.isBusy}>
        Set the password
      </Button>
    </AuthCard>
  );
}

function NewPasswordHolds({ outcome }: { outcome: Outcome }) {
  return (
    <AuthCard title="The new password holds">
      <Text role="status">All devices were signed out. Sign in with the new password.</Text>
      <Names title="Removed:" of={outcome.removed} />
      <Names title="Still open the account:" of={outcome} />
      <Button component={Link} href={paths.signIn()}>
        To the sign-in
      </Button>
    </AuthCard>
  );
}

function Names({ title, of: access }: { title: string; of: Access }) {
  if (idsOf(access).length === 0) return null;
  return (
    <div>
      <Text>{title}</Text>
      <List>
        {access.passkeys.map((passkey) => (
          <List.Item key={passkey.id}>{passkeyName(passkey)}</List.Item>
        ))}
        {access.tokens.map((token) => (
          <List.Item key={token.id}>{tokenName(token)}</List.Item>
        ))}
      </List>
    </div>
  );
}
