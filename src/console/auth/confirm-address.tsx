import { Button, Divider, Skeleton, Text } from '@mantine/core';
import { useState } from 'react';
import { Redirect, useLocation } from 'wouter';
import { useAction } from '../hooks/use-action.js';
import { useRemote } from '../hooks/use-remote.js';
import { paths, safeReturnPath } from '../paths.js';
import { Loaded } from '../ui/parts.js';
import { type Access, AccessChoice, idsOf, keptChoices } from './access-choice.js';
import { AuthCard, requestedReturn } from './auth-card.js';
import { authClient, InvalidLinkError, orThrow } from './auth-client.js';

/** The server's question before a link verifies an address. */
interface Question extends Required<Access> {
  email: string;
  mayReset: boolean;
}

/** Opened by a mailed link if the account already has passkeys, tokens or sessions: asks which to keep before verifying. */
export function ConfirmAddress({ token }: { token: string }) {
  const [, navigate] = useLocation();
  const [kept, setKept] = useState<string[]>([]);
  const question = useRemote(`link ${token}`, () => ask(token));
  const confirm = useAction(async (choices: object) => {
    await orThrow(post({ token, ...choices }));
    navigate(next(), { replace: true });
  });
  const reset = useAction(async () => {
    const answer = await orThrow(post({ token, reset: true }));
    navigate(`${paths.resetPassword}?${new URLSearchParams({ token: answer?.resetToken ?? '' })}`, { replace: true });
  });

  const failures = [question.error, confirm.error, reset.error];
  if (failures.some((failure) => failure instanceof InvalidLinkError))
    return <Redirect to={`${paths.verifyEmail}?error=INVALID_TOKEN`} replace />;
  if (question.data === null) return <Redirect to={next()} replace />;
  if (!question.data) {
    return (
      <AuthCard title="Confirm your address">
        <Loaded what="The link" answer={question} placeholder={<Skeleton height={160} />}>
          {() => null}
        </Loaded>
      </AuthCard>
    );
  }
  const { email, mayReset, ...access } = question.data;
  const all = idsOf(access).length;
  return (
    <AuthCard
      title="Confirm your address"
      error={confirm.error ?? reset.error}
      onSubmit={() => {
        reset.clearError();
        void confirm.run(keptChoices(access, kept));
      }}
    >
      <Text>
        These were added to the account before <strong>{email}</strong> was confirmed. If you did not add them, somebody else did.
      </Text>
      <AccessChoice
        access={access}
        label="Select what you added yourself"
        description="Everything else is removed: sessions are signed out and tokens are revoked, so programs that use them stop working."
        kept={kept}
        onChange={setKept}
      />
      <Button type="submit" loading={confirm.isBusy} disabled={reset.isBusy}>
        {kept.length === all ? 'Confirm and keep all' : kept.length > 0 ? 'Confirm and remove the rest' : 'Confirm and remove all'}
      </Button>
      <Divider />
      {mayReset ? (
        <>
          <Text>Didn’t sign up yourself? Someone else used your email and knows this account’s password. Set your own.</Text>
          <Button
            variant="default"
            loading={reset.isBusy}
            disabled={confirm.isBusy}
            onClick={() => {
              confirm.clearError();
              void reset.run();
            }}
          >
            I did not sign up
          </Button>
        </>
      ) : (
        <Text>Not your account? Close this page. Your address will not be used for it.</Text>
      )}
    </AuthCard>
  );
}

const post = (body: object) => authClient.$fetch<{ resetToken?: string }>('/verify-email', { method: 'POST', body });

/** Uses the link if there is nothing to ask, and then returns null. */
async function ask(token: string): Promise<Question | null> {
  const answer = await post({ token });
  if (answer.error?.status === 409) return answer.error as unknown as Question;
  await orThrow(Promise.resolve(answer));
  return null;
}

const next = (): string => (requestedReturn() === null ? paths.addressVerified : safeReturnPath(requestedReturn()));
