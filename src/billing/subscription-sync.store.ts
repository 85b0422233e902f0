import type { EntityManager } from 'typeorm';
import { plans } from '../usage/plans.js';
import { BillingCustomerEntity } from './billing-customer.entity.js';
import { SubscriptionEntity } from './subscription.entity.js';

/** The state of a subscription in Stripe; times in seconds since 1970. */
export interface SubscriptionTerms {
  id: string;
  status: string;
  isLive: boolean;
  createdSeconds: number;
  anchorSeconds: number;
  periodStartSeconds: number;
  periodEndSeconds: number;
  /** When it will end, or has ended; null for a live one without an end, and for one that stopped at a time that Stripe doesn't state. */
  endsAtSeconds: number | null;
}

/** Until this transaction ends, any other that follows the subscription waits, on every server. */
export async function lockSubscription(manager: EntityManager, subscriptionId: string): Promise<void> {
  await manager.query(`select pg_advisory_xact_lock(hashtextextended('subscription ' || $1, 0))`, [subscriptionId]);
}

export async function accountOfCustomer(manager: EntityManager, stripeCustomerId: string): Promise<string | null> {
  const customer = await manager.findOneBy(BillingCustomerEntity, { stripeCustomerId });
  return customer?.accountId ?? null;
}

/**
 * Stores the terms. A subscription that stopped without an end (unpaid, paused) counts as ended from the time when we first saw that.
 * @returns its balance, if one is open yet
 */
export async function saveSubscription(manager: EntityManager, accountId: string, terms: SubscriptionTerms): Promise<string | null> {
  const [saved] = await manager.query<{ balance_id: string | null }[]>(
    `insert into subscription as s (id, account_id, status, period_start, period_end, ends_at, created_at)
     values ($1, $2, $3, to_timestamp($4), to_timestamp($5),
             case when $7 then to_timestamp($6) else coalesce(to_timestamp($6), service_now()) end, to_timestamp($8))
     on conflict (id) do update
        set status = excluded.status,
            period_start = excluded.period_start,
            period_end = excluded.period_end,
            ends_at = case when not $7 and $6 is null then least(s.ends_at, excluded.ends_at) else excluded.ends_at end
     returning balance_id`,
    [
      terms.id,
      accountId,
      terms.status,
      terms.periodStartSeconds,
      terms.periodEndSeconds,
      terms.endsAtSeconds,
      terms.isLive,
      terms.createdSeconds,
    ],
  );
  return saved!.balance_id;
}

export async function openBalance(manager: EntityManager, accountId: string, terms: SubscriptionTerms): Promise<void> {
  await manager.query(
    `update subscription s
        set balance_id = open_subscription_balance($2, $3, $4, to_timestamp($5), s.period_start, s.period_end, s.ends_at)
      where s.id = $1`,
    [terms.id, accountId, plans.paid.includedRecords, plans.paid.overageUnitCents, terms.anchorSeconds],
  );
}

/** @param isPaid whether the invoice of the current period is paid, so that the period may be opened before its first read */
export async function followSubscription(
  manager: EntityManager,
  balanceId: string,
  terms: SubscriptionTerms,
  isPaid: boolean,
): Promise<void> {
  await manager.query(
    `select follow_subscription($1, to_timestamp($2), s.period_start, s.period_end, s.ends_at, $3)
       from subscription s
      where s.balance_id = $1`,
    [balanceId, terms.anchorSeconds, isPaid],
  );
}

export async function endUnknown(manager: EntityManager, subscriptionId: string): Promise<void> {
  await manager.update(SubscriptionEntity, { id: subscriptionId }, { status: 'canceled', endsAt: () => 'least(ends_at, service_now())' });
}
