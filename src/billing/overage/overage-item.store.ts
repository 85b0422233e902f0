import type { Pool } from 'pg';
import type Stripe from 'stripe';
import { inTransaction } from '../../database/statement-runner.js';
import { followSoon } from '../billing-jobs.js';
import { subscriptionOf } from '../stripe/invoices.js';

/** Overage of one period of one balance to bill, or to give back. Times in seconds since 1970. */
export interface OverageDue {
  balanceId: string;
  /** Negative: to give back. */
  records: number;
  unitCents: number;
  periodStartSeconds: number;
  periodEndSeconds: number;
  nowSeconds: number;
}

/** Due overage, and when it is billed. */
export interface OverageNow extends OverageDue {
  /** Whether the period is not closed yet. */
  isOpen: boolean;
  /** Until when a draft may come for it. */
  waitsUntilSeconds: number;
}

/** Due overage as an invoice item, stored before Stripe is called. */
export interface OverageItem extends OverageDue {
  id: string;
  subscriptionId: string;
  stripeCustomerId: string;
  way: 'draft' | 'bill' | 'credit';
  invoiceId: string | null;
  attempts: number;
  failures: number;
}

export const amountCents = ({ records, unitCents }: OverageDue): number => records * unitCents;

const seconds = (time: string) => `floor(extract(epoch from ${time}))::float`;

const itemColumns = `
  i.id, i.balance_id as "balanceId", i.stripe_customer_id as "stripeCustomerId", i.records, i.unit_cents as "unitCents", i.way,
  i.invoice_id as "invoiceId", i.attempts, i.failures, ${seconds('i.period_start')} as "periodStartSeconds",
  ${seconds('i.period_end')} as "periodEndSeconds", ${seconds('service_now()')} as "nowSeconds",
  (select s.id from subscription s where s.balance_id = i.balance_id) as "subscriptionId"`;

/** Negative amounts come first, so they lower the same invoice. */
export async function overageDue(pool: Pool, stripeCustomerId: string): Promise<OverageNow[]> {
  const { rows } = await pool.query<OverageNow>(
    `select balance_id as "balanceId", records, unit_cents as "unitCents", ${seconds('period_start')} as "periodStartSeconds",
            ${seconds('period_end')} as "periodEndSeconds", ${seconds('service_now()')} as "nowSeconds", is_open as "isOpen",
            ${seconds('waits_until')} as "waitsUntilSeconds"
       from overage_due($1) order by records > 0, period_start`,
    [stripeCustomerId],
  );
  return rows;
}

/**
 * How long it is, from a time on, until the next of the customer's periods is closed; null: none will be, as far as we know.
 * @param since when the caller began to look: what has closed meanwhile, it may not have seen
 */
export async function secondsToClosing(pool: Pool, stripeCustomerId: string, since: Date): Promise<number | null> {
  const { rows } = await pool.query<{ wait: number | null }>(
    `select extract(epoch from min(closed_at) - $2)::float as wait
       from subscription s
       join credit_balance b on b.id = s.balance_id
      -- A read or the invoice's event may have opened a period before the one before it is closed.
      cross join lateral unnest(array[b.period_start + taken_back_within(), least(b.period_end, b.ends_at) + taken_back_within()]) closed_at
      where s.stripe_customer_id = $1 and closed_at > $2`,
    [stripeCustomerId, since],
  );
  return rows[0]!.wait;
}

/** Whether an item could not be put on an invoice, for example because that has 250 already: no other one is tried there. */
export async function hasRefusedItem(pool: Pool, invoiceId: string): Promise<boolean> {
  const { rows } = await pool.query(`select from overage_item where invoice_id = $1 and state = 'missed' limit 1`, [invoiceId]);
  return rows.length > 0;
}

/** Where an item goes. `void`: nowhere, since it is forgiven. */
interface Target {
  way: OverageItem['way'];
  invoiceId: string | null;
  state: 'trying' | 'void';
  /** Only so many of them. */
  records?: number;
}

/**
 * Stores an item for what is due now, before Stripe is called. Its number makes sure that no other server has stored one since it looked.
 * @returns null if one has, if an item of the customer has no outcome yet, or if nothing is due any more
 */
export async function openItem(
  pool: Pool,
  stripeCustomerId: string,
  { balanceId, periodStartSeconds, records }: OverageDue,
  target: Target,
): Promise<OverageItem | null> {
  // What is given back is no more than the caller has looked at.
  const { rows } = await pool.query<OverageItem>(
    `insert into overage_item as i
            (balance_id, period_start, number, period_end, stripe_customer_id, records, unit_cents, way, invoice_id, state, attempts)
     select balance_id, period_start, item_count, period_end, $1, coalesce($6, records), unit_cents, $2, $3, $7, 1
       from overage_due($1)
      where balance_id = $4 and ${seconds('period_start')} = $5 and (records > 0 or records = $8)
         on conflict do nothing
     returning ${itemColumns}`,
    [stripeCustomerId, target.way, target.invoiceId, balanceId, periodStartSeconds, target.records ?? null, target.state, records],
  );
  return rows[0] ?? null;
}

/** The customer's items in this state, each with one more attempt. */
export async function takeItems(pool: Pool, stripeCustomerId: string, state: 'trying' | 'added'): Promise<OverageItem[]> {
  const { rows } = await pool.query<OverageItem>(
    `update overage_item i set attempts = i.attempts + 1 where stripe_customer_id = $1 and state = $2 returning ${itemColumns}`,
    [stripeCustomerId, state],
  );
  return rows.toSorted((a, b) => a.periodStartSeconds - b.periodStartSeconds);
}

export type Outcome = 'added' | 'billed' | 'missed' | 'void';

export async function setOutcome(pool: Pool, { id }: OverageItem, outcome: Outcome): Promise<void> {
  await pool.query(`update overage_item set state = $2, error = null where id = $1 and state in ('trying', 'added')`, [id, outcome]);
}

export async function setError(pool: Pool, { id }: OverageItem, error: string): Promise<void> {
  await pool.query(`update overage_item set error = $2 where id = $1 and state in ('trying', 'added')`, [id, error]);
}

/** Stripe's answer to the item's key was final: the next call needs another one, the same on each server. */
export async function countFailure(pool: Pool, item: OverageItem): Promise<void> {
  item.failures++;
  await pool.query('update overage_item set failures = greatest(failures, $2) where id = $1', [item.id, item.failures]);
}

export async function setInvoice(pool: Pool, item: OverageItem, invoiceId: string): Promise<void> {
  await pool.query('update overage_item set invoice_id = $2 where id = $1', [item.id, invoiceId]);
  item.invoiceId = invoiceId;
}

/** A period's items that count, with their invoices. */
export async function itemsOf(pool: Pool, { balanceId, periodStartSeconds }: OverageDue) {
  const { rows } = await pool.query<{ id: string; records: number; unitCents: number; invoiceId: string | null; isForgiven: boolean }>(
    `select id, records, unit_cents as "unitCents", invoice_id as "invoiceId", state = 'void' as "isForgiven" from overage_item
      where balance_id = $1 and ${seconds('period_start')} = $2 and state <> 'missed'`,
    [balanceId, periodStartSeconds],
  );
  return rows;
}

export async function itemsOfCustomer(pool: Pool, stripeCustomerId: string): Promise<Map<string, OverageItem>> {
  const { rows } = await pool.query<OverageItem>(`select ${itemColumns} from overage_item i where stripe_customer_id = $1`, [
    stripeCustomerId,
  ]);
  return new Map(rows.map((item) => [item.id, item]));
}

/** Warns operators of overage that is not billed because the customer was deleted in Stripe. */
export async function warnOfUnbilled(pool: Pool, stripeCustomerId: string, records: number): Promise<void> {
  await pool.query(
    `update subscription set warning = format('its customer was deleted in Stripe, and %s overage records are not billed', $2::integer)
      where id = (select id from subscription where stripe_customer_id = $1 order by ends_at desc nulls last, id limit 1)`,
    [stripeCustomerId, records],
  );
}

/** Whether one of a customer's overage invoices is not paid yet. Until it is, there is no further one within the period. */
export async function owesOverage(pool: Pool, stripeCustomerId: string): Promise<boolean> {
  const { rows } = await pool.query('select from subscription where stripe_customer_id = $1 and unpaid_bill is not null', [
    stripeCustomerId,
  ]);
  return rows.length > 0;
}

/** Stores an overage invoice that is not paid yet, and looks at it once more: its events may have come already. */
export function setUnpaidBill(pool: Pool, bill: Stripe.Invoice): Promise<void> {
  return inTransaction(pool, 'begin', async (db) => {
    const { rows } = await db.query<{ accountId: string }>(
      'update subscription set unpaid_bill = $2 where id = $1 returning account_id as "accountId"',
      [subscriptionOf(bill), bill.hosted_invoice_url ?? bill.id],
    );
    for (const { accountId } of rows) await followSoon(db, accountId);
  });
}
