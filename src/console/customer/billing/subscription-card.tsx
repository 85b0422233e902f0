import { Alert, Anchor, Button, Group, Paper, Radio, Stack, Text, TextInput, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { centsOf, formatCents, formatCount, formatUsd, plural } from '../../format.js';
import { change } from '../../graphql/client.js';
import { type BillingQuery, OpenBillingPortalDocument, SetOverageCapDocument, StartCheckoutDocument } from '../../graphql/operations.js';
import { leavePage } from '../../hooks/leave-page.js';
import { useAction } from '../../hooks/use-action.js';
import { FormDialog, openDialog } from '../../ui/dialogs.js';
import { ActionButton, ActionError, Facts, Items, StateBadge, Timestamp } from '../../ui/parts.js';
import { BillNotice, capInWords, isAtCap, Period } from '../usage/balances-part.js';

interface SubscriptionCardProps {
  subscription: NonNullable<BillingQuery['subscription']>;
  plan: BillingQuery['paidPlan'];
}

const billIsOpen = 'You have an unpaid bill, so your tokens have stopped working. Pay it in the billing portal to resume your plan.';
/** The customer's next step, by the processor's word for the state of the plan, and whether its tokens read all the same. */
const requiredActions: Record<string, string> = {
  'past_due, live': 'Your last payment failed. Your tokens still work for now. Check your card in the billing portal.',
  active: 'Your payment is processing. Bank payments can take a few days. Your plan starts when the payment arrives.',
  past_due: billIsOpen,
  unpaid: billIsOpen,
  incomplete: 'Your first payment isn’t complete, so your tokens don’t work yet. Finish it in the billing portal.',
  paused: 'Your plan is paused, so your tokens don’t work. Check your card in the billing portal, then resume the plan there.',
};

const requiredActionOf = ({ isLive, status, endsAt }: SubscriptionCardProps['subscription']): string | undefined =>
  status === 'active' && endsAt !== null ? undefined : requiredActions[isLive ? `${status}, live` : status];

export function SubscriptionCard({ subscription, plan }: SubscriptionCardProps) {
  const setCap = () => openDialog(<OverageCapDialog capUsd={subscription.overageCapUsd} plan={plan} />);
  const openPortal = async () => {
    const { billingPortal: address } = await change(OpenBillingPortalDocument, {});
    await leavePage(() => window.location.assign(address));
  };
  const { isLive, status, periodEnd, endsAt, creditsRemaining, overageRecords, overageUsd, overageStoppedBy, openOverageUsd } =
    subscription;
  const requiredAction = requiredActionOf(subscription);
  const cap = capInWords(subscription);
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
        {isLive && <BillNotice balance={balance} onCap={setCap} />}
        <Facts
          facts={[
            ['Period', <Period key="period" {...subscription} />],
            endsAt === null
              ? isLive && ['Renews', <Timestamp key="renews" at={periodEnd} />]
              : [isLive ? 'Ends' : 'Ended', <Timestamp key="ends" at={endsAt} />],
            ['Included records left', `${formatCount(creditsRemaining)} of ${formatCount(plan.includedRecords)}`],
            ['Overage so far', `${plural(overageRecords, 'record')}, ${formatUsd(overageUsd)}`],
            ['Overage cap', cap === null ? 'none' : `${cap} per period`],
          ]}
        />
        {openOverageUsd !== '0.00' && (
          <Text>
            The billing portal and renewal mails show {formatUsd(plan.priceUsd)}, without {formatUsd(openOverageUsd)} of open overage: it is
            added when the bill is made.
          </Text>
        )}
        <Group>
          {plan.isConfigured && (
            <ActionButton variant={requiredAction ? 'filled' : 'default'} size="sm" act={openPortal}>
              Manage billing or cancel
            </ActionButton>
          )}
          {isLive && (
            <Button variant="default" onClick={setCap}>
              Set a cap
            </Button>
          )}
        </Group>
      </Stack>
    </Paper>
  );
}

/** Sets the most that overage may cost in a period; an empty field removes the cap. */
const OverageCapDialog = ({ capUsd, plan }: { capUsd: string | null; plan: BillingQuery['paidPlan'] }) => (
  <FormDialog
    title="Overage cap"
    action="Save cap"
    onSubmit={({ cap = '' }) => change(SetOverageCapDocument, { records: capOf(cap, plan) })}
  >
    <OverageCapInput plan={plan} capUsd={capUsd} />
  </FormDialog>
);

interface PlanOfferProps {
  plan: BillingQuery['paidPlan'];
  isFirst: boolean;
  /** The cap that is suggested: of the last subscription, or of a checkout that was not paid. */
  capUsd: string | null;
}

/** The paid plan, with the prices that the server charges. Whether overage has a cap is answered before leaving for the payment page: no answer is preselected. */
export function PlanOffer({ plan, isFirst, capUsd }: PlanOfferProps) {
  const checkout = useAction(async (cap: string) => {
    const { startCheckout: address } = await change(StartCheckoutDocument, { overageCap: capOf(cap, plan) });
    await leavePage(() => window.location.assign(address));
  });
  const [limit, setLimit] = useState('');
  const handleSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void checkout.run(String(new FormData(event.currentTarget).get('cap') ?? ''));
  };
  if (!plan.isConfigured) {
    return <Alert title="Billing is not set up">No paid plan is available on this server. You can still use the trial.</Alert>;
  }
  return (
    <Paper withBorder p="lg" maw={560}>
      <Title order={2} size="h4">
        API Records
      </Title>
      <Text my="sm">
        <Text span fz={32} fw={700}>
          {formatUsd(plan.priceUsd)}
        </Text>{' '}
        a month
      </Text>
      <form onSubmit={handleSubmit}>
        <Stack align="flex-start">
          <Items
            of={[
              `${formatCount(plan.includedRecords)} records included each month`,
              `${formatUsd(plan.overageUsd)} for each additional record (overage)`,
              'Unlimited tokens on one shared balance',
            ]}
          />
          <Radio.Group
            label="Overage in a period"
            description="You can change it at any time."
            value={limit}
            onChange={setLimit}
            withAsterisk
          >
            <Radio mt="xs" value="cap" required label="Stop at an amount that I set" />
            <Radio mt="xs" value="none" required label={`No limit: each additional record costs ${formatUsd(plan.overageUsd)}`} />
          </Radio.Group>
          {limit === 'cap' && <OverageCapInput plan={plan} capUsd={capUsd} isRequired />}
          <ActionError error={checkout.error} />
          <Button type="submit" loading={checkout.isBusy}>
            {isFirst ? 'Subscribe' : 'Subscribe again'}
          </Button>
        </Stack>
      </form>
    </Paper>
  );
}

type Plan = BillingQuery['paidPlan'];

// Up to the server's bound of a billion records.
const amount = '[1-4]?[0-9]{1,7}(\\.[0-9]{1,2})?|50000000(\\.00?)?';
const isAmount = new RegExp(`^(${amount})$`);

/**
 * The field `cap` of a form: the most that overage may cost in a period, in dollars, or empty for no cap. It says what that means.
 * @param isRequired for a form that also offers no cap as an answer. Otherwise the field stands alone in a dialog, and takes the focus
 */
function OverageCapInput({ plan, capUsd, isRequired = false }: { plan: Plan; capUsd: string | null; isRequired?: boolean }) {
  const [cap, setCap] = useState(capUsd?.replace(/\.00$/, '') ?? '');
  return (
    <div>
      <TextInput
        label="Overage cap per period, in dollars"
        description={isRequired ? undefined : 'Leave empty for no cap. You can change it at any time.'}
        required={isRequired}
        name="cap"
        leftSection="$"
        inputMode="decimal"
        pattern={amount}
        title="An amount in dollars up to 50,000,000, or empty"
        value={cap}
        onChange={(event) => setCap(event.currentTarget.value)}
        data-autofocus={!isRequired || undefined}
        maw={320}
      />
      <Text size="sm" mt={4} role="status">
        {cap === '' && !isRequired && `No cap: each additional record costs ${formatUsd(plan.overageUsd)}, with no upper limit.`}
        {isAmount.test(cap) && meaningOf(capOf(cap, plan)!, plan)}
      </Text>
    </div>
  );
}

function meaningOf(records: number, { priceUsd, overageUsd }: Plan): string {
  if (records === 0) return 'No overage: when the included records are used up, requests are refused until the next period.';
  const most = centsOf(priceUsd) + records * centsOf(overageUsd);
  return `Up to ${plural(records, 'overage record')}, for at most ${formatCents(most)} a month in total before taxes. At the cap, requests are refused until the next period.`;
}

/** The value of the field in records; null for no cap. An amount between two records is rounded down. */
const capOf = (usd: string, { overageUsd }: Plan): number | null => (usd === '' ? null : Math.floor(centsOf(usd) / centsOf(overageUsd)));
