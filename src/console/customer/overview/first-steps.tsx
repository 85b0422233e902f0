import { Button, Group, Paper, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { type ReactNode, type SyntheticEvent, useRef, useState } from 'react';
import { authClient, orThrow } from '../../auth/auth-client.js';
import type { SignedInUser } from '../../auth/use-signed-in-user.js';
import type { OverviewQuery, TokenRowFragment } from '../../graphql/operations.js';
import { usePolling } from '../../hooks/use-polling.js';
import { paths } from '../../paths.js';
import { openDialog } from '../../ui/dialogs.js';
import { CheckIcon } from '../../ui/icons.js';
import { ActionButton } from '../../ui/parts.js';
import { ReplaceLostTrialDialog } from '../tokens/token-dialogs.js';
import { CreatePaidToken, FirstCall, GetTrial, isPaidPlan, isPaidToken } from '../tokens/trial-offer.js';

/** The steps from a new account to the first records, and from a paid plan to its token. The server decides which steps are done. */
export function FirstSteps({ user, tokens, steps }: { user: SignedInUser; tokens: TokenRowFragment[]; steps: FirstStepsState }) {
  const { beginsWithTrial, hasToken, isSubscribed, hasPaidToken, firstRead, hasWaited, isOpen, setOpen, done, count } = steps;
  const active = tokens.find(({ plan, state }) => plan === 'trial' && state === 'active');
  return (
    <Paper
      component="details"
      withBorder
      px="md"
      py="sm"
      maw="52rem"
      open={isOpen}
      onToggle={(event: SyntheticEvent<HTMLDetailsElement>) => setOpen(event.currentTarget.open)}
    >
      <Text component="summary" fw={600}>
        First steps: {done} of {count} done
      </Text>
      <Stack component="ol" gap="sm" mt="sm" mb={0} pl="lg">
        <Step title="Verify your email" isDone={user.emailVerified}>
          <VerifyAddress email={user.email} />
        </Step>
        {beginsWithTrial && (
          <Step title="Get a token" isDone={hasToken}>
            <GetTrial />
          </Step>
        )}
        {isSubscribed && (
          <Step title="Create a paid token" isDone={hasPaidToken}>
            <Text>Your plan needs its own token. Trial tokens can’t use it.</Text>
            <CreatePaidToken />
          </Step>
        )}
        <Step title="Make your first call" isDone={firstRead !== undefined} showsDone={hasWaited}>
          <FirstCall hasToken={hasToken} read={firstRead} />
          {!firstRead && active && (
            <Button variant="default" onClick={() => openDialog(<ReplaceLostTrialDialog token={active} />)}>
              I lost the token
            </Button>
          )}
        </Step>
      </Stack>
    </Paper>
  );
}

interface StepProps {
  title: string;
  isDone: boolean;
  /** A step that was done before is left out. */
  showsDone?: boolean;
  children: ReactNode;
}

function Step({ title, isDone, showsDone = false, children }: StepProps) {
  if (isDone && !showsDone) return null;
  return (
    <li>
      <Group gap="xs" fw={600} {...(isDone && { c: 'dimmed' })}>
        {isDone && <CheckIcon />}
        {title}
        {isDone && <VisuallyHidden> (done)</VisuallyHidden>}
      </Group>
      <Stack gap="xs" align="flex-start" miw={0}>
        {children}
      </Stack>
    </li>
  );
}

function VerifyAddress({ email }: { email: string }) {
  const [isSent, setIsSent] = useState(false);
  const send = async () => {
    await orThrow(authClient.sendVerificationEmail({ email, callbackURL: paths.addressVerified }));
    setIsSent(true);
  };
  return (
    <>
      <Text>We sent a link to {email}. Open it to verify your email, so you can reset your password if you forget it.</Text>
      <ActionButton size="sm" act={send}>
        Resend link
      </ActionButton>
      <Text size="sm" role="status">
        {isSent && 'Sent.'}
      </Text>
    </>
  );
}

const pollMs = 2000;

type FirstStepsState = ReturnType<typeof useFirstSteps>;

/**
 * The progress of a new account, as the server reports it. Polls while waiting for the first call.
 * @param reload fetches the data again
 */
export function useFirstSteps(user: SignedInUser, data: OverviewQuery | undefined, reload: () => void) {
  const [isOpen, setOpen] = useLocalStorage({ key: `first steps of ${user.id}`, defaultValue: true, getInitialValueInEffect: false });
  const isSubscribed = data?.subscription?.isLive ?? false;
  // False for a customer who subscribed before getting any token.
  const beginsWithTrial = !isSubscribed || (data?.newest.some(({ plan }) => plan === 'trial') ?? false);
  const hasPaidToken = data?.newest.some(isPaidToken) ?? false;
  const firstRead = data?.reads.entries[0];
  // One that can make the first call, or has made it.
  const hasToken = firstRead !== undefined || (data?.newest.some(({ state }) => state === 'active') ?? false);
  const isKnown = data !== undefined;

  // It keeps polling after an error: the next answer may succeed.
  const isWaiting = isKnown && isOpen && data.newest.length > 0 && !firstRead;
  usePolling(isWaiting, reload, pollMs);

  const states = [
    user.emailVerified,
    ...(beginsWithTrial ? [hasToken] : []),
    ...(isSubscribed ? [hasPaidToken] : []),
    firstRead !== undefined,
  ];
  const done = states.filter(Boolean).length;
  // Not shown if everything was done when the page opened.
  const wasUnfinished = useRef(false);
  if (isKnown && done < states.length) wasUnfinished.current = true;
  // Whether the first read happened while the page was open.
  const hasWaited = useRef(false);
  if (isKnown && !firstRead) hasWaited.current = true;
  return {
    isShown: isKnown && wasUnfinished.current,
    isOpen,
    setOpen,
    beginsWithTrial,
    hasToken,
    isSubscribed,
    hasPaidToken,
    // The plan is paid, but no token uses it.
    needsPaidToken: isPaidPlan(data?.subscription) && !hasPaidToken,
    firstRead,
    hasWaited: hasWaited.current,
    done,
    count: states.length,
  };
}
