import { Skeleton, Stack, Text, Title } from '@mantine/core';
import { useEffect } from 'react';
import { useSearchParams } from 'wouter';
import { formatUsd, plural } from '../../format.js';
import { useAnswer } from '../../graphql/client.js';
import { BillingDocument, InvoicesDocument, type LineOfBillFragment, NextBillDocument } from '../../graphql/operations.js';
import { useFilters } from '../../hooks/use-filters.js';
import { usePolling } from '../../hooks/use-polling.js';
import { paths } from '../../paths.js';
import { Page } from '../../shell/page.js';
import { Loaded, NextStep, RowLink, Section, TextLink, Timestamp } from '../../ui/parts.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { isPaidPlan, isPaidToken, PaidTokenOffer } from '../tokens/trial-offer.js';
import { Period } from '../usage/balances-part.js';
import { InvoiceLinks, invoiceColumns } from './invoices.js';
import { PlanOffer, SubscriptionCard } from './subscription-card.js';

/** The plan, its price and the invoices. Cards and addresses are changed on the payment processor's own page. */
export default function BillingPage() {
  const query = useAnswer(BillingDocument, {});
  const { refetch } = query;
  const isConfirming = useAwaitedPlan(query.data && (query.data.subscription?.isLive ?? false), refetch);

  return (
    <Page title="Billing">
      <Loaded what="Your plan" answer={query} placeholder={<Skeleton height={300} />}>
        {({ paidPlan, subscription, checkoutCapUsd, tokens }) => (
          <Stack gap="xl">
            {isConfirming && <Text role="status">Thank you. We’re confirming your payment. This takes a few seconds.</Text>}
            {isPaidPlan(subscription) && !tokens.some(isPaidToken) && <PaidTokenOffer />}
            {subscription && <SubscriptionCard subscription={subscription} plan={paidPlan} />}
            {subscription && !(subscription.hasEnded && subscription.openOverageUsd === '0.00') && <NextBillPart />}
            {(!subscription || subscription.hasEnded) && !isConfirming && (
              <PlanOffer plan={paidPlan} isFirst={!subscription} capUsd={subscription ? subscription.overageCapUsd : checkoutCapUsd} />
            )}
            {paidPlan.isConfigured && !isConfirming && <InvoicesPart />}
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

const pollMs = 2000;
const patienceMs = 60_000;

/**
 * Whether a checkout has led back here (`?checkout=done`) and its plan is not live yet: the payment processor tells the server by a
 * webhook, which may arrive some seconds later. The plan may also never become live: a bank debit takes days, or the user opened the URL
 * again. So the wait ends after a minute, and the URL loses its `checkout` parameter.
 * @param isLive undefined: not known yet
 */
function useAwaitedPlan(isLive: boolean | undefined, refetch: () => void): boolean {
  const [search, setSearch] = useSearchParams();
  const isBack = search.get('checkout') === 'done';
  useEffect(() => {
    if (!isBack || isLive === undefined) return;
    const endWait = () => setSearch({}, { replace: true });
    if (isLive) return endWait();
    const patience = setTimeout(endWait, patienceMs);
    return () => clearTimeout(patience);
  }, [isBack, isLive, setSearch]);
  const isAwaited = isBack && isLive === false;
  usePolling(isAwaited, refetch, pollMs);
  return isAwaited;
}

/** The invoices, and the lines of the one in the URL. A query of its own, since the payment processor may be slow to answer. */
function InvoicesPart() {
  const query = useAnswer(InvoicesDocument, {}, { isOfOthers: true });
  const chosen = useFilters().get('invoice');
  return (
    <Section title="Invoices">
      <Loaded what="Your invoices" answer={query} placeholder={<Skeleton height={140} />}>
        {({ invoices }) => (
          <>
            <DataTable
              label="List of invoices"
              rows={invoices}
              empty={<NextStep says="No invoices yet." link="See the plans" href={paths.pricing} />}
              columns={[
                ...invoiceColumns,
                {
                  title: 'Details',
                  cell: (invoice) => {
                    const lines = plural(invoice.lines.length, 'line');
                    return (
                      <>
                        <RowLink href={paths.invoiceLines(invoice.id)} mr="md" aria-label={`${lines} of ${nameOf(invoice.number)}`}>
                          {lines}
                        </RowLink>
                        <InvoiceLinks invoice={invoice} />
                      </>
                    );
                  },
                },
              ]}
            />
            {invoices
              .filter(({ id }) => id === chosen)
              .map(({ id, number, lines }) => (
                <section key={id} aria-labelledby="invoice-lines-title">
                  <Title order={3} size="h5" id="invoice-lines-title" mt="lg" mb="sm" ref={focusOnceShown} tabIndex={-1}>
                    Lines of {nameOf(number)}
                  </Title>
                  <BillLines label={`Lines of ${nameOf(number)}`} lines={lines} isPast />
                </section>
              ))}
          </>
        )}
      </Loaded>
    </Section>
  );
}

const nameOf = (number: string | null): string => (number ? `invoice ${number}` : 'the draft');

const focusOnceShown = (title: HTMLElement | null) => title?.focus();

/** The next bill. A query of its own, since the payment processor takes seconds to preview it. */
function NextBillPart() {
  const query = useAnswer(NextBillDocument, {});
  return (
    <Loaded what="Your next bill" answer={query} placeholder={<Skeleton height={140} />}>
      {({ subscription }) =>
        subscription?.nextBill && (
          <Section title="Next bill">
            <Text size="sm" mb="sm">
              <Timestamp at={subscription.nextBill.at} />: {formatUsd(subscription.nextBill.dueUsd)}, as far as it is known now.
              {!subscription.nextBill.isPreview && ' Coupons, credit and taxes are not included.'}
            </Text>
            <BillLines label="Lines of the next bill" lines={subscription.nextBill.lines} />
          </Section>
        )
      }
    </Loaded>
  );
}

/**
 * A bill line by line. Overage leads to the reads that it bills, the plan to the records that it grants.
 * @param isPast whether the plan's period has begun, so that its grant is in the ledger
 */
const BillLines = ({ label, lines, isPast = false }: { label: string; lines: LineOfBillFragment[]; isPast?: boolean }) => (
  <DataTable
    label={label}
    rows={lines}
    keyOf={(line) => lines.indexOf(line)}
    empty="No lines."
    columns={[
      { title: 'Line', cell: (line) => <What line={line} />, isText: true },
      { title: 'Amount', cell: ({ amountUsd }) => formatUsd(amountUsd), isNumber: true },
      { title: 'Entries', cell: (line) => <Entries line={line} isPast={isPast} />, isText: true },
    ]}
  />
);

const nameOfKind: Record<string, string> = {
  plan: 'API Records, next period',
  discount: 'Discount',
  tax: 'Tax',
  balance: 'Credit from earlier bills',
};

function What({ line: { kind, description, periodStart, periodEnd, records, unitUsd } }: { line: LineOfBillFragment }) {
  return (
    <>
      {kind === 'overage' ? `Overage: ${plural(records ?? 0, 'record')} at ${formatUsd(unitUsd!)}` : (description ?? nameOfKind[kind])}
      {periodStart && periodEnd && (
        <>
          , <Period periodStart={periodStart} periodEnd={periodEnd} />
        </>
      )}
    </>
  );
}

function Entries({ line: { kind, periodStart, periodEnd }, isPast }: { line: LineOfBillFragment; isPast: boolean }) {
  if (kind === 'plan' && !isPast) return 'paid in advance';
  if (!periodStart || !periodEnd || (kind !== 'plan' && kind !== 'overage')) return null;
  return (
    <TextLink href={paths.ledgerOf({ kind: kind === 'plan' ? 'grant' : 'read', from: periodStart, to: periodEnd })}>
      {kind === 'plan' ? 'Grant of this period' : 'Reads of this period'}
    </TextLink>
  );
}
