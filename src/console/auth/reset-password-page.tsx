import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { useAction } from '../hooks/use-action.js';
import { useRemote } from '../hooks/use-remote.js';
import { paths } from '../paths.js';
import { Items, Loaded } from '../ui/parts.js';
import { type Access, AccessChoice, idsOf, keptChoices, passkeyName, tokenName } from './access-choice.js';
import { AuthCard, MessageCard, NewPasswordInput } from './auth-card.js';
import { authClient, InvalidLinkError, orThrow } from './auth-client.js';

type Outcome = Access & { removed: Access };

/** Opened by a mailed link: with a token that allows setting one password, or with an error if the link has expired. */
export default function ResetPasswordPage() {
  const [search] = useSearchParams();
  const [, navigate] = useLocation();
  const [kept, setKept] = useState<string[]>([]);
  const [outcome, setOutcome] = useState<Outcome>();
  const token = search.get('token');
  const access = useRemote(token ? `password link ${token}` : undefined, () =>
    orThrow(authClient.$fetch<Access>(`/reset-password/${encodeURIComponent(token!)}`)),
  );
  const reset = useAction(async (newPassword: string) => {
    const body = { newPassword, token, ...keptChoices(access.data!, kept) };
    setOutcome((await orThrow(authClient.$fetch<Outcome>('/reset-password', { method: 'POST', body })))!);
    // The token works once, so remove it: a reload must not ask for another password.
    navigate(paths.resetPassword, { replace: true });
  });

  if (outcome) return <NewPasswordHolds outcome={outcome} />;
  if (!token || access.error instanceof InvalidLinkError || reset.error instanceof InvalidLinkError) {
    return (
      <MessageCard title="This link no longer works" href={paths.forgotPassword} action="Send a new link">
        It was already used, or it is more than an hour old.
      </MessageCard>
    );
  }
  return (
    <AuthCard title="Choose a new password" error={reset.error} onSubmit={({ password = '' }) => void reset.run(password)}>
      <Loaded what="The link" answer={access} placeholder={<Skeleton height={160} />}>
        {(others) => (
          <Stack>
            <NewPasswordInput label="New password" name="password" />
            <Text size="sm">This signs out all devices.</Text>
            {idsOf(others).length > 0 && (
              <AccessChoice
                access={others}
                label="Other ways into the account: select what to keep"
                description="If somebody else had access to your account, they may have added some of these. Passkeys that you do not select are removed. Tokens that you do not select are revoked, and programs that use them stop working. A paid plan continues, and you can create a new token for it."
                kept={kept}
                onChange={setKept}
              />
            )}
            <Button type="submit" loading={reset.isBusy}>
              Set new password
            </Button>
          </Stack>
        )}
      </Loaded>
    </AuthCard>
  );
}

function NewPasswordHolds({ outcome }: { outcome: Outcome }) {
  return (
    <AuthCard title="Password changed">
      <Text role="status">All devices were signed out. Sign in with your new password.</Text>
      <Names title="Removed:" of={outcome.removed} />
      <Names title="Kept:" of={outcome} />
      <Button component={Link} href={paths.signIn()}>
        Sign in
      </Button>
    </AuthCard>
  );
}

function Names({ title, of: access }: { title: string; of: Access }) {
  if (idsOf(access).length === 0) return null;
  return (
    <div>
      <Text>{title}</Text>
      <Items of={[...access.passkeys.map(passkeyName), ...access.tokens.map(tokenName)]} />
    </div>
  );
}
