import { Anchor, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { formatCount, formatUsd, plural } from '../../format/format.js';
import { type BillingQuery, OpenBillingPortalDocument } from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { leavePage } from '../../hooks/leave-page.js';
import { useAction } from '../../hooks/use-action.js';
import { Facts } from '../../ui/facts.js';
import { ActionError } from '../../ui/failures.js';
import { StateBadge } from '../../ui/state-badge.js';
import { Timestamp } from '../../ui/timestamp.js';
import { BillNotice, isAtCap } from '../usage/bill-notice.js';
import { OverageCapDialog } from './overage-cap-dialog.js';

interface SubscriptionCardProps {
  subscription: NonNullable<BillingQuery['subscription']>;
  plan: BillingQuery['paidPlan'];
  onChanged: () => void;
}

const billIsOpen = 'You have an unpaid bill, so your tokens have stopped working. Pay it in the billing portal to resume your plan.';
/** What is left to do in the portal, by the processor's word for the state of a plan whose tokens do not read. */
const requiredActionByStatus: Record<string, string> = {
  past_due: billIsOpen,
  unpaid: billIsOpen,
  incomplete: 'Your first payment isn’t complete, so your tokens don’t work yet. Finish it in the billing portal.',
  paused: 'Your plan is paused, so your tokens don’t work. Check your card in the billing portal, then resume the plan there.',
};

function requiredActionOf({ isLive, status, endsAt }: SubscriptionCardProps['subscription']): string | undefined {
  if (isLive)
    return status === 'past_due'
      ? 'Your last payment failed. Your tokens still work for now. Check your card in the billing portal.'
      : undefined;
  const isAwaited = status === 'active' && endsAt === null;
  return isAwaited
    ? 'Your payment is processing. Bank payments can take a few days. Your plan starts when the payment arrives.'
    : requiredActionByStatus[status];
}

export function SubscriptionCard({ subscription, plan, onChanged }: SubscriptionCardProps) {
  const [isCapping, setIsCapping] = useState(false);
  const billingPortal = useChange(OpenBillingPortalDocument);
  const openPortal = useAction(async () => {
    const { billingPortal: address } = await billingPortal({});
    await leavePage(() => window.location.assign(address));
  });
  const {
    isLive,
    status,
    periodStart,
    periodEnd,
    endsAt,
    creditsRemaining,
    overageRecords,
    overageUsd,
    overageCap,
    overageCapUsd,
    overageStoppedBy,
    openOverageUsd,
  } = subscription;
  const requiredAction = requiredActionOf(subscription);
  const balance = { ...subscription, includedRecords: plan.includedRecords };
  const hasStopped = isLive && (isAtCap(balance) || overageStoppedBy !== null);
  return (
    <Paper withBorder p="lg" maw={680}>
      <Stack>
        <Group justify="space-between">
          <Title order={2} size="h4">
            API Records, {formatUsd(plan.priceUsd)} a month
          </Title>
          <StateBadge state={status.replaceAll('_', ' ')} tone={requiredAction || hasStopped ? 'warning' : isLive ? 'good' : 'neutral'} />
        </Group>
        {requiredAction && <Text>{requiredAction}</Text>}
        {overageStoppedBy !== null && (
          <Text>
            The payment of an overage bill failed, so reads end with the included records.{' '}
            <Anchor href={overageStoppedBy}>Pay the bill</Anchor> to read on.
          </Text>
        )}
        {isLive && <BillNotice balance={balance} onCap={() => setIsCapping(true)} />}
        <Facts
          facts={[
            [
              'Period',
              <span key="period">
                <Timestamp at={periodStart} /> to <Timestamp at={periodEnd} />
              </span>,
            ],
            endsAt === null
              ? isLive && ['Renews', <Timestamp key="renews" at={periodEnd} />]
              : [isLive ? 'Ends' : 'Ended', <Timestamp key="ends" at={endsAt} />],
            ['Included records left', `${formatCount(creditsRemaining)} of ${formatCount(plan.includedRecords)}`],
            ['Overage so far', `${plural(overageRecords, 'record')}, ${formatUsd(overageUsd)}`],
            [
              'Overage cap',
              overageCapUsd === null ? 'none' : `${formatUsd(overageCapUsd)} (${plural(overageCap ?? 0, 'record')}) per period`,
            ],
          ]}
        />
        {openOverageUsd !== '0.00' && (
          <Text>
            The billing portal and renewal mails show {formatUsd(plan.priceUsd)}, without {formatUsd(openOverageUsd)} of open overage: it is
            added when the bill is made.
          </Text>
        )}
        <ActionError error={openPortal.error} />
        <Group>
          {plan.isConfigured && (
            <Button variant={requiredAction ? 'filled' : 'default'} onClick={() => void openPortal.run()} loading={openPortal.isBusy}>
              Manage billing or cancel
            </Button>
          )}
          {isLive && (
            <Button variant="default" onClick={() => setIsCapping(true)}>
              Set a cap
            </Button>
          )}
        </Group>
      </Stack>
      {isCapping && <OverageCapDialog capUsd={overageCapUsd} plan={plan} onSaved={onChanged} onClose={() => setIsCapping(false)} />}
    </Paper>
  );
}
