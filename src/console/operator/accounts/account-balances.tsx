import { Anchor, Group, SimpleGrid, Skeleton, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { InvoiceLinks, invoiceColumns } from '../../customer/billing/invoices.js';
import { BalanceCard } from '../../customer/usage/balances-part.js';
import { formatCount, formatUsd, hasPassed } from '../../format.js';
import { change, isRefused, useAnswer } from '../../graphql/client.js';
import { type AccountDetailsQuery, AccountInvoicesDocument, AdjustBalanceDocument } from '../../graphql/operations.js';
import { BalanceFiles } from '../../ledger/balance-files.js';
import { DialogButton, FormDialog } from '../../ui/dialogs.js';
import { Loaded, Nothing, Section, StaleSignInError, Timestamp } from '../../ui/parts.js';
import { DataTable } from '../../ui/tables/data-table.js';

type Balance = AccountDetailsQuery['balances'][number];

/** Makes a change that requires a recent sign-in. */
export const changeIfRecent: typeof change = (document, variables) =>
  change(document, variables).catch((error: Error) => {
    throw isRefused(error, 'forbidden') ? new StaleSignInError(error.message) : error;
  });

/** The balances of an account. An adjustment is a ledger entry with a reason. */
export const AccountBalances = ({ balances }: { balances: Balance[] }) => (
  <Section title="Balances">
    {balances.length === 0 && <Nothing>No balances. This account has never had a token.</Nothing>}
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      {balances.map((balance) => (
        <BalanceCard key={balance.id} balance={balance} tools={<BalanceTools balance={balance} />} />
      ))}
    </SimpleGrid>
  </Section>
);

function BalanceTools({ balance }: { balance: Balance }) {
  const name = `${balance.plan} balance of ${formatCount(balance.creditsRemaining)}`;
  return (
    <Group mt="md" gap="sm" align="flex-start">
      <BalanceFiles balanceId={balance.id} name={name} everybody />
      {/* Credits added to an ended balance could not be used. */}
      {!hasPassed(balance.endsAt) && (
        <DialogButton label="Adjust" of={`the ${name}`}>
          <AdjustBalanceDialog balance={balance} />
        </DialogButton>
      )}
    </Group>
  );
}

/** Writes an adjustment to the ledger, which requires a recent sign-in. A dialog writes at most one, even if it is sent again. */
function AdjustBalanceDialog({ balance }: { balance: Balance }) {
  const [idempotencyKey] = useState(newKey);
  const write = ({ credits = '', reason = '' }: Record<string, string>) =>
    changeIfRecent(AdjustBalanceDocument, { balanceId: balance.id, credits: Number(credits), reason, idempotencyKey });
  return (
    <FormDialog title="Adjust balance" action="Write entry" onSubmit={write}>
      <Text>{formatCount(balance.creditsRemaining)} credits are left. The customer sees the entry and its reason in their ledger.</Text>
      <TextInput
        label="Credits to add"
        description="Use a negative number to remove credits"
        name="credits"
        pattern="[+\-]?[1-9][0-9]{0,6}"
        title="A whole number, not 0"
        required
        data-autofocus
      />
      <Textarea label="Reason" name="reason" required maxLength={500} autosize minRows={2} />
    </FormDialog>
  );
}

// Not `randomUUID`, which browsers offer only over https.
const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

const AtStripe = ({ kind, id }: { kind: string; id: string }) => (
  <Anchor href={`https://dashboard.stripe.com/${kind}/${id}`} rel="noreferrer" size="sm">
    {id}
  </Anchor>
);

/** The refunded or disputed payments of an account. Neither stops its tokens: that is decided at Stripe. */
export function AccountCharges({ charges }: { charges: AccountDetailsQuery['accountCharges'] }) {
  return (
    <Section title="Refunds and disputes">
      <DataTable
        label="List of refunds and disputes"
        rows={charges}
        empty="No payments."
        columns={[
          { title: 'Stripe payment', cell: ({ id }) => <AtStripe kind="payments" id={id} />, isText: true },
          { title: 'Paid', cell: ({ createdAt }) => <Timestamp at={createdAt} /> },
          { title: 'Amount', cell: ({ amountUsd }) => formatUsd(amountUsd), isNumber: true },
          { title: 'Refunded', cell: ({ refundedUsd }) => formatUsd(refundedUsd), isNumber: true },
          { title: 'Disputed', cell: ({ isDisputed }) => (isDisputed ? 'by the bank' : 'no') },
        ]}
      />
    </Section>
  );
}

/** The subscriptions of an account, with their ids at Stripe. */
export function AccountSubscriptions({ subscriptions }: { subscriptions: AccountDetailsQuery['accountSubscriptions'] }) {
  return (
    <Section title="Subscriptions">
      <DataTable
        label="List of subscriptions"
        rows={subscriptions}
        empty="No subscriptions."
        columns={[
          { title: 'Stripe subscription', cell: ({ id }) => <AtStripe kind="subscriptions" id={id} />, isText: true },
          {
            title: 'Stripe customer',
            cell: ({ stripeCustomerId: id }) => <AtStripe kind="customers" id={id} />,
            isText: true,
          },
          { title: 'Status', cell: ({ status }) => status.replaceAll('_', ' ') },
          { title: 'Period began', cell: ({ periodStart }) => <Timestamp at={periodStart} /> },
          { title: 'Period ends', cell: ({ periodEnd }) => <Timestamp at={periodEnd} /> },
          { title: 'Ends', cell: ({ endsAt }) => <Timestamp at={endsAt} none="renews" /> },
          {
            title: 'Overage cap',
            cell: ({ overageCap }) => (overageCap === null ? 'none' : `${formatCount(overageCap)} a period`),
            isNumber: true,
          },
        ]}
      />
    </Section>
  );
}

/** The invoices of an account. A query of its own, since Stripe may be slow to answer. */
export function AccountInvoices({ accountId }: { accountId: string }) {
  const query = useAnswer(AccountInvoicesDocument, { accountId }, { isOfOthers: true });
  return (
    <Section title="Invoices">
      <Loaded what="The invoices" answer={query} placeholder={<Skeleton height={140} />}>
        {({ accountInvoices }) => (
          <DataTable
            label="List of invoices"
            rows={accountInvoices}
            empty="No invoices."
            columns={[...invoiceColumns, { title: 'At Stripe', cell: (invoice) => <InvoiceLinks invoice={invoice} /> }]}
          />
        )}
      </Loaded>
    </Section>
  );
}
