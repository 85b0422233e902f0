import type { EntityManager } from 'typeorm';

/** The further records of a subscription's last period that no bill of Stripe's can have. */
export interface LastUsage {
  stripeCustomerId: string;
  /** Whether Stripe makes a bill at its end, and these were only reported too late for it. */
  endedWithPeriod: boolean;
  /** None where all were taken back. */
  records: number;
  unitCents: number;
  periodStartSeconds: number;
  endedAtSeconds: number;
}

/**
 * @returns null where there are none, nor may Stripe have billed any
 * @throws Error while something of it is still on its way to the meter, or an operator has to say whether it arrived
 */
export async function lastUsageOf(manager: EntityManager, subscriptionId: string): Promise<LastUsage | null> {
  const [{ isUndecided }] = await manager.query<[{ isUndecided: boolean }]>(
    'select is_undecided(s) as "isUndecided" from subscription s where s.id = $1',
    [subscriptionId],
  );
  if (isUndecided) throw new Error('not all that it used has reached the meter for certain yet');
  const [usage] = await manager.query<LastUsage[]>(
    `select s.stripe_customer_id as "stripeCustomerId", with_period as "endedWithPeriod", l.records, overage_price(b) as "unitCents",
            extract(epoch from s.period_start)::integer as "periodStartSeconds", extract(epoch from s.ends_at)::integer as "endedAtSeconds"
       from subscription s
       join credit_balance b on b.id = s.balance_id
       join lateral bill_sums(s.stripe_customer_id) u on u.subscription_id = s.id and u.billed_at = s.ends_at
      cross join lateral (select last_bill_at(b.period_anchor, s.ends_at) = s.ends_at as with_period) e
      cross join lateral (
        select (greatest(u.records, 0) - case when with_period then greatest(u.records - u.late_records, 0) else 0 end)::integer as records
      ) l
      where s.id = $1 and s.status = 'canceled' and (l.records > 0 or not with_period)`,
    [subscriptionId],
  );
  return usage ?? null;
}

/** Credits the customer, once, for what Stripe has billed too much at the end. */
export async function creditLastBill(manager: EntityManager, subscriptionId: string, records: number, unitCents: number): Promise<void> {
  await manager.query(
    `insert into billing_credit (balance_id, stripe_customer_id, records, amount_cents, is_of_last_bill)
     select balance_id, stripe_customer_id, $2::integer, $2::integer * $3::integer, true from subscription where id = $1
     on conflict (balance_id) where is_of_last_bill do nothing`,
    [subscriptionId, records, unitCents],
  );
}

export async function markSettled(manager: EntityManager, subscriptionId: string): Promise<void> {
  await manager.query(`update subscription set follow_at = null where id = $1`, [subscriptionId]);
}
