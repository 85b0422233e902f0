import { Button, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { plural } from '../../format.js';
import type { OverviewQuery, TokenRowFragment } from '../../graphql/operations.js';
import { paths } from '../../paths.js';
import { plans } from '../../site.js';
import { DialogButton } from '../../ui/dialogs.js';
import { ActionButton, TextLink, Timestamp } from '../../ui/parts.js';
import { Notice } from '../usage/balances-part.js';
import { FirstCallCode, IssueTokenDialog, issueTrial } from './token-dialogs.js';

/** Offers the trial token, and first of all the paid plan to customers who had a trial. The server decides whether a trial may be issued. */
export function TrialOffer({ tokens }: { tokens: TokenRowFragment[] }) {
  const trials = tokens.filter(({ plan }) => plan === 'trial');
  const mayContinue = trials.length > 0 && plans.paid.isSold;

  if (trials.some(({ state }) => state === 'active')) {
    return (
      plans.paid.isSold && (
        <Text>
          Your trial is active. <TextLink href={paths.billing}>The paid plan</TextLink> lets you keep going when it ends.
        </Text>
      )
    );
  }
  return (
    <Paper withBorder p="lg">
      <Stack align="flex-start">
        <Title order={2} size="h4">
          {trials.length > 0 ? 'Your trial has ended' : tokens.length === 0 ? 'Your first token' : 'A new trial'}
        </Title>
        {mayContinue && (
          <>
            <Text>
              The paid plan includes {plans.paid.records} records a month for {plans.paid.price}. Each additional record costs{' '}
              {plans.paid.overage}.
            </Text>
            <Button component={Link} href={paths.billing}>
              See the paid plan
            </Button>
          </>
        )}
        <GetTrial isOther={mayContinue} />
      </Stack>
    </Paper>
  );
}

/** @param isOther the paid plan is offered first */
export const GetTrial = ({ isOther = false }: { isOther?: boolean }) => (
  <>
    <Text>
      {isOther ? 'Or start another trial. It' : 'The trial'} gives you {plans.trial.records} records to use within {plans.trial.days} days.
      It’s free, and you don’t need a card.
    </Text>
    <ActionButton variant={isOther ? 'default' : 'filled'} size="sm" act={issueTrial}>
      Get the trial token
    </ActionButton>
  </>
);

/** The last step after paying. */
export const PaidTokenOffer = ({ children = <CreatePaidToken /> }: { children?: ReactNode }) => (
  <Notice title="One step left: create a paid token" action={children}>
    Your plan is active, but no token uses it yet. Trial tokens can’t. Create a paid token for your programs.
  </Notice>
);

export const CreatePaidToken = () => (
  <DialogButton label="Create paid token" variant="filled">
    <IssueTokenDialog />
  </DialogButton>
);

/** Whether the latest invoice is paid. A plan whose payment failed stays live while Stripe retries. */
export const isPaidPlan = (plan: { isLive: boolean; status: string } | null | undefined): boolean =>
  plan?.isLive === true && plan.status !== 'past_due';

/** Whether a token uses the plan, even if the plan is used up. Tokens of a plan that has ended have expired permanently. */
export const isPaidToken = ({ plan, state }: { plan: string; state: string }): boolean =>
  plan === 'paid' && state !== 'revoked' && state !== 'expired';

type Read = OverviewQuery['reads']['entries'][number];

/** The command for the first call and, after the call, its result. */
export function FirstCall({ hasToken, read }: { hasToken: boolean; read: Read | undefined }) {
  if (!hasToken) return <Text c="dimmed">With your token, from any program.</Text>;
  if (read) return <FirstReadResult read={read} />;
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
    </>
  );
}

/** Links to the records instead of showing them: showing them would write a replay into the ledger. */
function FirstReadResult({ read: { id, at, records } }: { read: Read }) {
  return (
    <>
      <Text role="status">
        Received: {plural(records, 'record')}, <Timestamp at={at} style="exact" />.{' '}
        <TextLink href={paths.ledgerEntry(id)}>See its ledger entry and its records</TextLink>
      </Text>
      {records === 0 && <Text size="sm">No record matched the request, so it cost nothing.</Text>}
    </>
  );
}
