import { Button, Divider, Skeleton, Stack, Text } from '@mantine/core';
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
  const { run, running, isBusy, error } = useAction(async (decision: Record<string, string[] | boolean>) => {
    const { resetToken } = (await orThrow(post({ token, ...decision }))) ?? {};
    navigate(resetToken ? `${paths.resetPassword}?${new URLSearchParams({ token: resetToken })}` : next(), { replace: true });
  });
  const isReset = running?.[0].reset === true;

  if ([question.error, error].some((failure) => failure instanceof InvalidLinkError))
    return <Redirect to={`${paths.verifyEmail}?error=INVALID_TOKEN`} replace />;
  if (question.data === null) return <Redirect to={next()} replace />;
  return (
    <AuthCard title="Confirm your address" error={error} onSubmit={() => void run(keptChoices(question.data!, kept))}>
      <Loaded what="The link" answer={question} placeholder={<Skeleton height={160} />}>
        {({ email, mayReset, ...access }) => (
          <Stack>
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
            <Button type="submit" loading={isBusy && !isReset} disabled={isBusy}>
              {kept.length === idsOf(access).length ? 'Confirm and keep all' : `Confirm and remove ${kept.length > 0 ? 'the rest' : 'all'}`}
            </Button>
            <Divider />
            {mayReset ? (
              <>
                <Text>Didn’t sign up yourself? Someone else used your email and knows this account’s password. Set your own.</Text>
                <Button variant="default" loading={isReset} disabled={isBusy} onClick={() => void run({ reset: true })}>
                  I did not sign up
                </Button>
              </>
            ) : (
              <Text>Not your account? Close this page. Your address will not be used for it.</Text>
            )}
          </Stack>
        )}
      </Loaded>
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
