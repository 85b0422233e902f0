import { Button, Group, Paper, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { type ReactNode, type SyntheticEvent, useRef, useState } from 'react';
import { authClient, orThrow } from '../../auth/auth-client.js';
import type { SignedInUser } from '../../auth/use-signed-in-user.js';
import { plural } from '../../format.js';
import type { OverviewQuery, TokenRowFragment } from '../../graphql/operations.js';
import { usePolling } from '../../hooks/use-polling.js';
import { paths } from '../../paths.js';
import { openDialog } from '../../ui/dialogs.js';
import { CheckIcon } from '../../ui/icons.js';
import { ActionButton, TextLink, Timestamp } from '../../ui/parts.js';
import { FirstCallCode, ReplaceLostTrialDialog } from '../tokens/token-dialogs.js';
import { CreatePaidToken, GetTrial, isPaidPlan, isPaidToken } from '../tokens/trial-offer.js';

interface Step {
  title: string;
  isDone: boolean;
  /** Without it, a step that is done is left out. */
  showsDone?: boolean;
  content: ReactNode;
}

/** The steps that `useFirstSteps` found. */
export const FirstSteps = ({ progress: { steps, isOpen, setOpen } }: { progress: ReturnType<typeof useFirstSteps> }) => (
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
      First steps: {steps.filter(({ isDone }) => isDone).length} of {steps.length} done
    </Text>
    <Stack component="ol" gap="sm" mt="sm" mb={0} pl="lg">
      {steps
        .filter(({ isDone, showsDone }) => !isDone || showsDone)
        .map(({ title, isDone, content }) => (
          <li key={title}>
            <Group gap="xs" fw={600} {...(isDone && { c: 'dimmed' })}>
              {isDone && <CheckIcon />}
              {title}
              {isDone && <VisuallyHidden> (done)</VisuallyHidden>}
            </Group>
            <Stack gap="xs" align="flex-start" miw={0}>
              {content}
            </Stack>
          </li>
        ))}
    </Stack>
  </Paper>
);

const pollMs = 2000;

/**
 * The steps from a new account to the first records, and from a paid plan to its token. The server decides which are done. Polls while
 * waiting for the first call.
 * @param reload fetches the data again
 */
export function useFirstSteps(user: SignedInUser, data: OverviewQuery | undefined, reload: () => void) {
  const [isOpen, setOpen] = useLocalStorage({ key: `first steps of ${user.id}`, defaultValue: true, getInitialValueInEffect: false });
  const { newest: tokens = [], subscription, reads } = data ?? {};
  const isSubscribed = subscription?.isLive ?? false;
  const trials = tokens.filter(({ plan }) => plan === 'trial');
  const hasPaidToken = tokens.some(isPaidToken);
  const firstRead = reads?.entries[0];
  // One that can make the first call, or has made it.
  const hasToken = firstRead !== undefined || tokens.some(({ state }) => state === 'active');

  // It keeps polling after an error: the next answer may succeed.
  usePolling(isOpen && tokens.length > 0 && !firstRead, reload, pollMs);

  // Whether the first read happened while the page was open.
  const hasWaited = useRef(false);
  if (data && !firstRead) hasWaited.current = true;
  const steps: Step[] = [
    { title: 'Verify your email', isDone: user.emailVerified, content: <VerifyAddress email={user.email} /> },
    // A customer may subscribe before getting any token.
    ...(!isSubscribed || trials.length > 0 ? [{ title: 'Get a token', isDone: hasToken, content: <GetTrial /> }] : []),
    ...(isSubscribed ? [{ title: 'Create a paid token', isDone: hasPaidToken, content: <PaidTokenStep /> }] : []),
    {
      title: 'Make your first call',
      isDone: firstRead !== undefined,
      showsDone: hasWaited.current,
      content: <FirstCall hasToken={hasToken} read={firstRead} trial={trials.find(({ state }) => state === 'active')} />,
    },
  ];
  // Not shown if everything was done when the page opened.
  const wasUnfinished = useRef(false);
  if (data && steps.some(({ isDone }) => !isDone)) wasUnfinished.current = true;
  return {
    steps,
    isShown: wasUnfinished.current,
    isOpen,
    setOpen,
    hasToken,
    // The plan is paid, but no token uses it.
    needsPaidToken: isPaidPlan(subscription) && !hasPaidToken,
    // Of an account that reads already, a step can wait.
    canWait: firstRead !== undefined && !hasWaited.current,
  };
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

const PaidTokenStep = () => (
  <>
    <Text>Your plan needs its own token. Trial tokens can’t use it.</Text>
    <CreatePaidToken />
  </>
);

interface FirstCallProps {
  hasToken: boolean;
  read: OverviewQuery['reads']['entries'][number] | undefined;
  /** The trial token that works. */
  trial: TokenRowFragment | undefined;
}

/** The command for the first call and, after the call, a link to its records: showing them would write a replay into the ledger. */
function FirstCall({ hasToken, read, trial }: FirstCallProps) {
  if (!hasToken) return <Text c="dimmed">With your token, from any program.</Text>;
  if (read)
    return (
      <>
        <Text role="status">
          Received: {plural(read.records, 'record')}, <Timestamp at={read.at} style="exact" />.{' '}
          <TextLink href={paths.ledgerEntry(read.id)}>See its ledger entry and its records</TextLink>
        </Text>
        {read.records === 0 && <Text size="sm">No record matched the request, so it cost nothing.</Text>}
      </>
    );
  return (
    <>
      <Text>
        Store your token in the variable <code>API_TOKEN</code>, then run this. It uses one of your records.
      </Text>
      <FirstCallCode />
      <Text>
        Or <TextLink href={paths.tryIt}>make it in the browser</TextLink>.
      </Text>
      <Text role="status">Waiting for your call …</Text>
      {trial && (
        <Button variant="default" onClick={() => openDialog(<ReplaceLostTrialDialog token={trial} />)}>
          I lost the token
        </Button>
      )}
    </>
  );
}
