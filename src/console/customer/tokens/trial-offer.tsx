import { Button, Paper, Stack, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import type { TokenRowFragment } from '../../graphql/operations.js';
import { paths } from '../../paths.js';
import { plans } from '../../site.js';
import { DialogButton } from '../../ui/dialogs.js';
import { ActionButton, TextLink } from '../../ui/parts.js';
import { Notice } from '../usage/balances-part.js';
import { IssueTokenDialog, issueTrial } from './token-dialogs.js';

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
export const PaidTokenOffer = () => (
  <Notice title="One step left: create a paid token" action={<CreatePaidToken />}>
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
