import type { EntityManager } from 'typeorm';

/** The further records of the period in which a subscription was ended. */
export interface LastUsage {
  stripeCustomerId: string;
  records: number;
  unitCents: number;
  periodStartSeconds: number;
  endedAtSeconds: number;
}

/** @returns null where it ended with its period, as then Stripe bills it, or used no further record */
export async function lastUsageOf(manager: EntityManager, subscriptionId: string): Promise<LastUsage | null> {
  const [usage] = await manager.query<LastUsage[]>(
    `select s.stripe_customer_id as "stripeCustomerId", b.overage_records as records,
            b.overage_unit_cents as "unitCents",
            extract(epoch from b.period_start)::integer as "periodStartSeconds", extract(epoch from s.ends_at)::integer as "endedAtSeconds"
       from subscription s join credit_balance b on b.id = s.balance_id
      where s.id = $1 and s.status = 'canceled' and b.overage_records > 0 and s.ends_at between b.period_start and b.period_end - interval '1 second'`,
    [subscriptionId],
  );
  return usage ?? null;
}

export async function markSettled(manager: EntityManager, subscriptionId: string): Promise<void> {
  await manager.query(`update subscription set follow_at = null where id = $1`, [subscriptionId]);
}
