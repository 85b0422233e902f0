import type { Pool } from 'pg';

/** Overage of one period of one balance to bill, or to give back. Times in seconds since 1970. */
export interface OverageDue {
  balanceId: string;
  /** Negative: to give back. */
  records: number;
  unitCents: number;
  periodStartSeconds: number;
  periodEndSeconds: number;
}

/** Due overage as an invoice item, stored before Stripe is called. */
export interface OverageItem extends OverageDue {
  id: string;
  subscriptionId: string;
  stripeCustomerId: string;
  way: 'draft' | 'bill' | 'credit';
  invoiceId: string | null;
  finalizesAtSeconds: number | null;
  attempts: number;
  failures: number;
  nowSeconds: number;
}

export const amountCents = ({ records, unitCents }: OverageDue): number => records * unitCents;

// Longer than one attempt's calls. After this time another server takes over the items of one that died.
const leaseSeconds = 120;

const seconds = (time: string) => `floor(extract(epoch from ${time}))::float`;

const itemColumns = `
  i.id, i.balance_id as "balanceId", i.stripe_customer_id as "stripeCustomerId", i.records, i.unit_cents as "unitCents", i.way,
  i.invoice_id as "invoiceId", i.attempts, i.failures, ${seconds('i.period_start')} as "periodStartSeconds",
  ${seconds('i.period_end')} as "periodEndSeconds", ${seconds('i.finalizes_at')} as "finalizesAtSeconds", ${seconds('service_now()')} as "nowSeconds",
  (select s.id from subscription s where s.balance_id = i.balance_id) as "subscriptionId"`;

/** Negative amounts come first, so they lower the same invoice. */
export async function overageDue(pool: Pool, stripeCustomerId: string, includesOpen: boolean): Promise<OverageDue[]> {
  const { rows } = await pool.query<OverageDue>(
    `select balance_id as "balanceId", records, unit_cents as "unitCents", ${seconds('period_start')} as "periodStartSeconds",
            ${seconds('period_end')} as "periodEndSeconds"
       from overage_due($1, $2) order by records > 0, period_start`,
    [stripeCustomerId, includesOpen],
  );
  return rows;
}

/** Whether the outcome of one of the customer's items is unknown. */
export async function hasUncertainItem(pool: Pool, stripeCustomerId: string): Promise<boolean> {
  const { rows } = await pool.query(`select from overage_item where stripe_customer_id = $1 and state = 'trying'`, [stripeCustomerId]);
  return rows.length > 0;
}

/** Where an item goes, and whether open periods count. */
export interface Target {
  way: 'draft' | 'bill' | 'credit' | 'void';
  invoiceId: string | null;
  includesOpen: boolean;
}

/**
 * Stores an item for what is due now, claimed for this server, before Stripe is called.
 * @returns null if another server has an item of the customer open, or nothing is due any more
 */
export async function openItem(
  pool: Pool,
  stripeCustomerId: string,
  { balanceId, periodStartSeconds }: OverageDue,
  { way, invoiceId, includesOpen }: Target,
): Promise<OverageItem | null> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    // So that a second server sees the first one's item.
    await client.query(`select pg_advisory_xact_lock(hashtextextended('overage of ' || $1, 0))`, [stripeCustomerId]);
    const { rows } = await client.query<OverageItem>(
      `insert into overage_item as i
              (balance_id, period_start, period_end, stripe_customer_id, records, unit_cents, way, invoice_id, state, attempts, next_attempt_at)
       select balance_id, period_start, period_end, $1, records, unit_cents, case $2 when 'void' then 'bill' else $2 end, $3,
              case $2 when 'void' then 'void' else 'trying' end, 1, service_now() + make_interval(secs => $7)
         from overage_due($1, $6)
        where balance_id = $4 and ${seconds('period_start')} = $5
           on conflict do nothing
       returning ${itemColumns}`,
      [stripeCustomerId, way, invoiceId, balanceId, periodStartSeconds, includesOpen, leaseSeconds],
    );
    await client.query('commit');
    return rows[0] ?? null;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
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

/** @param waitSeconds until the next check, unless the outcome is final */
export async function setOutcome(pool: Pool, { id }: OverageItem, outcome: Outcome, waitSeconds = 0): Promise<void> {
  await pool.query(
    `update overage_item set state = $2, error = null, next_attempt_at = service_now() + make_interval(secs => $3)
      where id = $1 and state in ('trying', 'added')`,
    [id, outcome, waitSeconds],
  );
}

/** @param didFail whether Stripe answered that the call failed: the next attempt then needs another idempotency key */
export async function postponeItem(
  pool: Pool,
  { id }: OverageItem,
  waitSeconds: number,
  error: string | null,
  didFail = false,
): Promise<void> {
  await pool.query(
    `update overage_item
        set next_attempt_at = service_now() + make_interval(secs => $2), error = $3, failures = failures + $4::boolean::integer
      where id = $1 and state in ('trying', 'added')`,
    [id, waitSeconds, error, didFail],
  );
}

export async function setInvoice(pool: Pool, { id }: OverageItem, invoiceId: string): Promise<void> {
  await pool.query('update overage_item set invoice_id = $2 where id = $1', [id, invoiceId]);
}

/** Stores when Stripe would have finalized the invoice; the first value stays. */
export async function setFinalizesAt(pool: Pool, { id }: OverageItem, atSeconds: number): Promise<void> {
  await pool.query('update overage_item set finalizes_at = coalesce(finalizes_at, to_timestamp($2)) where id = $1', [id, atSeconds]);
}
