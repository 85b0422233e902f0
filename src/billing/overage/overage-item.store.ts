import type { Pool } from 'pg';
import { inTransaction } from '../../database/statement-runner.js';

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

/** What is due, and when. */
export interface OverageNow extends OverageDue {
  /** Whether the period is not closed yet. */
  isOpen: boolean;
  /** Whether a draft may still come for it. */
  mayWait: boolean;
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

// Longer than one attempt's calls. After this time another server takes over the items of one that died.
const leaseSeconds = 120;

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
            may_wait as "mayWait"
       from overage_due($1) order by records > 0, period_start`,
    [stripeCustomerId],
  );
  return rows;
}

/** Whether the outcome of one of the customer's items is unknown. */
export async function hasUncertainItem(pool: Pool, stripeCustomerId: string): Promise<boolean> {
  const { rows } = await pool.query(`select from overage_item where stripe_customer_id = $1 and state = 'trying'`, [stripeCustomerId]);
  return rows.length > 0;
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
 * Stores an item for what is due now, claimed for this server, before Stripe is called.
 * @returns null if another server has an item of the customer open, or nothing is due any more
 */
export async function openItem(
  pool: Pool,
  stripeCustomerId: string,
  { balanceId, periodStartSeconds, records }: OverageDue,
  target: Target,
): Promise<OverageItem | null> {
  return inTransaction(pool, 'begin', async (db) => {
    // So that a second server sees the first one's item.
    await db.query(`select pg_advisory_xact_lock(hashtextextended('overage of ' || $1, 0))`, [stripeCustomerId]);
    // What is given back is no more than the caller has looked at.
    const { rows } = await db.query<OverageItem>(
      `insert into overage_item as i
              (balance_id, period_start, period_end, stripe_customer_id, records, unit_cents, way, invoice_id, state, attempts, next_attempt_at)
       select balance_id, period_start, period_end, $1, coalesce($6, records), unit_cents, $2, $3, $7, 1,
              service_now() + make_interval(secs => $9)
         from overage_due($1)
        where balance_id = $4 and ${seconds('period_start')} = $5 and (records > 0 or records = $8)
           on conflict do nothing
       returning ${itemColumns}`,
      [
        stripeCustomerId,
        target.way,
        target.invoiceId,
        balanceId,
        periodStartSeconds,
        target.records ?? null,
        target.state,
        records,
        leaseSeconds,
      ],
    );
    return rows[0] ?? null;
  });
}

/** Claims items that are due. Without an outcome within the lease they become due again. */
export async function claimItems(pool: Pool, state: 'trying' | 'added', limit: number): Promise<OverageItem[]> {
  const { rows } = await pool.query<OverageItem>(
    `update overage_item i
        set attempts = i.attempts + 1, next_attempt_at = service_now() + make_interval(secs => $3)
       from (select id from overage_item where state = $1 and next_attempt_at <= service_now()
              order by next_attempt_at, stripe_customer_id, period_start limit $2 for update skip locked) due
      where i.id = due.id
     returning ${itemColumns}`,
    [state, limit, leaseSeconds],
  );
  return rows.toSorted((a, b) => compare(a.stripeCustomerId, b.stripeCustomerId) || a.periodStartSeconds - b.periodStartSeconds);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export type Outcome = 'added' | 'billed' | 'missed' | 'void';

export async function setOutcome(pool: Pool, { id }: OverageItem, outcome: Outcome): Promise<void> {
  await pool.query(
    `update overage_item set state = $2, error = null, next_attempt_at = service_now() where id = $1 and state in ('trying', 'added')`,
    [id, outcome],
  );
}

export async function postponeItem(pool: Pool, { id }: OverageItem, waitSeconds: number, error: string | null): Promise<void> {
  await pool.query(
    `update overage_item set next_attempt_at = service_now() + make_interval(secs => $2), error = $3
      where id = $1 and state in ('trying', 'added')`,
    [id, waitSeconds, error],
  );
}

/** Stripe's answer to the item's key was final: the next call needs another one. */
export async function countFailure(pool: Pool, item: OverageItem): Promise<void> {
  await pool.query('update overage_item set failures = failures + 1 where id = $1', [item.id]);
  item.failures++;
}

export async function setInvoice(pool: Pool, item: OverageItem, invoiceId: string): Promise<void> {
  await pool.query('update overage_item set invoice_id = $2 where id = $1', [item.id, invoiceId]);
  item.invoiceId = invoiceId;
}

/** Lets the customer's overage be checked now. */
export async function checkSoon(pool: Pool, { balanceId }: OverageItem): Promise<void> {
  await pool.query('update subscription set overage_at = service_now() where balance_id = $1', [balanceId]);
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
