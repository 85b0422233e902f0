import type { Pool } from 'pg';

/** What a customer gets back. */
export interface BillingCredit {
  id: string;
  stripeCustomerId: string;
  records: number;
  amountCents: number;
  attempts: number;
  failures: number;
}

const leaseSeconds = 60;

/** Customers of whom reads were taken back after they were reported, those first who were looked at the longest ago. Their turn is taken. */
export async function customersInTurn(pool: Pool, limit: number): Promise<Set<string>> {
  const { rows } = await pool.query<{ customer: string }>(
    `update subscription s
        set credits_sought_at = service_now()
       from (select id from subscription own
              where exists (select from meter_event m where m.balance_id = own.balance_id and m.records < 0 and m.state = 'sent')
              order by credits_sought_at nulls first limit $1 for update skip locked) next
      where s.id = next.id
     returning s.stripe_customer_id as customer`,
    [limit],
  );
  return new Set(rows.map(({ customer }) => customer));
}

/** In a statement for each customer: one's long history must not hold up the others. */
export async function openBillingCredits(pool: Pool, stripeCustomerId: string): Promise<void> {
  await pool.query('select open_credits_of($1)', [stripeCustomerId]);
}

/** Claims credits that are due for this server. Those that it does not settle within the lease become due again. */
export async function claimBillingCredits(pool: Pool, limit: number): Promise<BillingCredit[]> {
  const { rows } = await pool.query<BillingCredit>(
    `update billing_credit c
        set attempts = c.attempts + 1, next_attempt_at = service_now() + make_interval(secs => $2)
       from (select id from billing_credit where state = 'waiting' and next_attempt_at <= service_now()
              order by next_attempt_at limit $1 for update skip locked) due
      where c.id = due.id
     returning c.id, c.stripe_customer_id as "stripeCustomerId", c.records, c.amount_cents::integer as "amountCents", c.attempts, c.failures`,
    [limit, leaseSeconds],
  );
  return rows;
}

export async function settleBillingCredit(pool: Pool, id: string, state: 'given' | 'void', error: string | null): Promise<void> {
  await pool.query(`update billing_credit set state = $2, error = $3 where id = $1 and state = 'waiting'`, [id, state, error]);
}

/** @param didFail whether Stripe has answered that it failed */
export async function postponeBillingCredit(pool: Pool, id: string, waitSeconds: number, error: string, didFail: boolean): Promise<void> {
  await pool.query(
    `update billing_credit
        set next_attempt_at = service_now() + make_interval(secs => $2), error = $3, failures = failures + $4::boolean::integer
      where id = $1 and state = 'waiting'`,
    [id, waitSeconds, error, didFail],
  );
}
