import type { EntityManager } from 'typeorm';

/** The further records of the period in which a subscription was ended. */
export interface LastUsage {
  stripeCustomerId: string;
  records: number;
  unitCents: number;
  periodStartSeconds: number;
  endedAtSeconds: number;
}

/**
 * What the meter has of its last period, also what was counted there late.
 * @returns null where it ended with its period, as then Stripe bills it, or used no further record
 * @throws Error while something of it is still on its way to the meter
 */
export async function lastUsageOf(manager: EntityManager, subscriptionId: string): Promise<LastUsage | null> {
  const [{ isOnItsWay }] = await manager.query<[{ isOnItsWay: boolean }]>(
    `select exists (select from overage_report r where r.balance_id = s.balance_id and r.meter_event is null)
            or exists (select from meter_event m where m.balance_id = s.balance_id and m.state = 'waiting') as "isOnItsWay"
       from subscription s where s.id = $1`,
    [subscriptionId],
  );
  if (isOnItsWay) throw new Error('not all that it used has reached the meter yet');
  const [usage] = await manager.query<LastUsage[]>(
    `select s.stripe_customer_id as "stripeCustomerId", u.records,
            b.overage_unit_cents as "unitCents",
            extract(epoch from b.period_start)::integer as "periodStartSeconds", extract(epoch from s.ends_at)::integer as "endedAtSeconds"
       from subscription s
       join credit_balance b on b.id = s.balance_id
      cross join lateral (
        select coalesce(sum(m.records), 0)::integer as records from meter_event m
         where m.balance_id = b.id and m.state = 'sent' and m.counted_at >= b.period_start
           and m.counted_at < last_bill_at(b.period_anchor, s.ends_at)
      ) u
      where s.id = $1 and s.status = 'canceled' and u.records > 0 and s.ends_at between b.period_start and b.period_end - interval '1 second'`,
    [subscriptionId],
  );
  return usage ?? null;
}

export async function markSettled(manager: EntityManager, subscriptionId: string): Promise<void> {
  await manager.query(`update subscription set follow_at = null where id = $1`, [subscriptionId]);
}
