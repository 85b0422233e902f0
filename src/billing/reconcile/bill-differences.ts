import type { Pool } from 'pg';
import type Stripe from 'stripe';
import { usd } from '../../ledger/money.js';
import { overageDue } from '../overage/overage-item.store.js';
import { isOfPlan, isOverageInvoice, subscriptionOf, withAllLines } from '../stripe/invoices.js';
import { ledgerHeadOn } from '../subscriptions/ledger-field.js';
import { endedStatuses } from '../subscriptions/subscription-reading.js';
import type { ComparedCustomer, Difference } from './billing-difference.js';

/** Overage as it is on an invoice or on the customer's balance. */
interface FoundLine {
  item: string;
  cents: number;
  where: string;
}

const daySeconds = 24 * 3600;
// Three days in which a draft may come, and one for a bill of our own.
const longestWaitDays = 4;

/**
 * Compares each item of ours with the lines of the customer's invoices and with credits, and the other way around.
 * @returns also the invoices
 */
export async function billDifferences(
  stripe: Stripe,
  pool: Pool,
  { customer, accountId }: ComparedCustomer,
): Promise<{ differences: Difference[]; invoices: Stripe.Invoice[] }> {
  const before = await itemsOf(pool, customer);
  const listed = await stripe.invoices.list({ customer, limit: 100 }).autoPagingToArray({ limit: 10_000 });
  const invoices: Stripe.Invoice[] = [];
  for (const invoice of listed) invoices.push(await withAllLines(stripe, invoice));
  const found = new Map<string, FoundLine[]>();
  for (const line of await foundLines(stripe, customer, invoices)) found.set(line.item, [...(found.get(line.item) ?? []), line]);
  // What has changed meanwhile is left to the next comparison.
  const items = new Map((await itemsOf(pool, customer)).map((item) => [item.id, item]));
  const texts = [
    ...before.flatMap((item) => (items.get(item.id)?.state === item.state ? textOfItem(item, found.get(item.id) ?? []) : [])),
    ...[...found].flatMap(([id, lines]) =>
      items.has(id) ? [] : [`${described(lines)} is overage that we did not put there (item ${id})`],
    ),
    ...invoices.filter(isOverageInvoice).flatMap(foreignLines),
    ...(await withoutPlan(pool, customer, invoices)),
    ...(await waiting(pool, customer)),
  ];
  const differences = texts.map((text) => ({ id: `${customer} ${text}`, accountId, text: `customer ${customer}: ${text}` }));
  return { differences, invoices };
}

async function foundLines(stripe: Stripe, customer: string, invoices: Stripe.Invoice[]): Promise<FoundLine[]> {
  const found = invoices.flatMap(({ id, lines }) =>
    lines.data.flatMap(({ metadata, amount }) =>
      metadata?.overage_item ? { item: metadata.overage_item, cents: amount, where: `on ${id}` } : [],
    ),
  );
  for await (const { amount, metadata } of stripe.customers.listBalanceTransactions(customer, { limit: 100 })) {
    if (metadata?.overage_item) found.push({ item: metadata.overage_item, cents: amount, where: 'as a credit' });
  }
  return found;
}

function textOfItem({ id, records, cents, state, isStuck, openedAt }: BilledItem, lines: FoundLine[]): string[] {
  if (isStuck) return [`${records} records are ${state} since ${openedAt}`];
  if (state === 'trying') return [];
  const isThere = state === 'added' || state === 'billed';
  if (isThere ? lines.length === 1 && lines[0]!.cents === cents : lines.length === 0) return [];
  const should = isThere ? `${inDollars(cents)} once` : 'nothing';
  return [`of ${records} overage records (item ${id}) Stripe has ${described(lines)}, should have ${should}`];
}

const described = (lines: FoundLine[]): string =>
  lines.map(({ cents, where }) => `${inDollars(cents)} ${where}`).join(' and ') || 'nothing';

const foreignLines = ({ id, lines }: Stripe.Invoice): string[] =>
  lines.data
    .filter(({ metadata }) => !metadata?.overage_item)
    .map(({ amount }) => `our bill ${id} has a line of ${inDollars(amount)} that we did not put there`);

/** Renewals of subscriptions of ours whose plan was taken off the invoice. An ended one has a last invoice without it. */
async function withoutPlan(pool: Pool, customer: string, invoices: Stripe.Invoice[]): Promise<string[]> {
  const { rows } = await pool.query<{ id: string; endedSeconds: number | null }>(
    `select id, case when status = any($2) then extract(epoch from ends_at)::float end as "endedSeconds" from subscription
      where stripe_customer_id = $1 and balance_id is not null`,
    [customer, endedStatuses],
  );
  const endings = new Map(rows.map(({ id, endedSeconds }) => [id, endedSeconds ?? Number.POSITIVE_INFINITY]));
  return invoices
    .filter((bill) => bill.billing_reason === 'subscription_cycle' && bill.created < (endings.get(subscriptionOf(bill) ?? '') ?? 0))
    .filter(({ lines }) => !lines.data.some(isOfPlan))
    .map(({ id }) => `bill ${id} is a renewal without the plan's price`);
}

async function waiting(pool: Pool, customer: string): Promise<string[]> {
  const due = await overageDue(pool, customer);
  return due
    .filter((one) => !one.isOpen && one.records > 0 && one.periodEndSeconds < one.nowSeconds - longestWaitDays * daySeconds)
    .map(
      ({ records, periodEndSeconds }) => `${records} records wait to be billed since ${new Date(periodEndSeconds * 1000).toISOString()}`,
    );
}

interface BilledItem {
  id: string;
  records: number;
  cents: number;
  state: 'trying' | 'added' | 'billed' | 'missed' | 'void';
  /** Whether it has been on a draft, or without an outcome, for days. */
  isStuck: boolean;
  openedAt: string;
}

async function itemsOf(pool: Pool, customer: string): Promise<BilledItem[]> {
  const { rows } = await pool.query<BilledItem>(
    `select id, records, (records::bigint * unit_cents)::float as cents, state, opened_at::text as "openedAt",
            state in ('trying', 'added') and opened_at < service_now() - make_interval(days => $2) as "isStuck"
       from overage_item where stripe_customer_id = $1 order by opened_at`,
    [customer, longestWaitDays],
  );
  return rows;
}

const inDollars = (cents: number): string => `$${usd(BigInt(cents))}`;

/** The ledger head that an invoice names, and the subscription whose balance it is. */
export interface NamedHead {
  invoice: string;
  subscription: string;
  entries: number;
  head: string;
}

export const namedHeads = (invoices: Stripe.Invoice[]): NamedHead[] =>
  invoices.flatMap((invoice) => {
    const [named, subscription] = [ledgerHeadOn(invoice), subscriptionOf(invoice)];
    return named && subscription ? [{ invoice: invoice.id, subscription, ...named }] : [];
  });

/** Each entry must still have the hash that the invoice names. */
export async function ledgerDifferences(pool: Pool, accountId: string, named: NamedHead[]): Promise<Difference[]> {
  const { rows } = await pool.query<{ invoice: string; text: string }>(
    `select n.invoice, case when l.hash is null
              then format('invoice %s names entry %s, which the ledger does not have', n.invoice, n.entries)
              else format('invoice %s names another entry %s of balance %s: the ledger was changed', n.invoice, n.entries, l.balance_id) end as text
       from json_to_recordset($1) as n (invoice text, subscription text, entries integer, head text)
       left join subscription s on s.id = n.subscription
       left join ledger_entry l on l.balance_id = s.balance_id and l.sequence = n.entries
      where l.hash is distinct from decode(n.head, 'hex')`,
    [JSON.stringify(named)],
  );
  return rows.map(({ invoice, text }) => ({ id: `${invoice} ledger`, accountId, text }));
}
