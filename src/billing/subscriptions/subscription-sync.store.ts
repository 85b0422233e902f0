import type Stripe from 'stripe';
import { type EntityManager, In, Not } from 'typeorm';
import { endSubscriptions } from '../../jobs/account-events.js';
import { plans } from '../../ledger/plans.js';
import { BillingCustomerEntity } from './billing-customer.entity.js';
import { SubscriptionEntity } from './subscription.entity.js';
import { endedStatuses } from './subscription-reading.js';

/** The state of a subscription in Stripe; times in seconds since 1970. */
export interface SubscriptionTerms {
  id: string;
  stripeCustomerId: string;
  status: Stripe.Subscription.Status;
  /** Whether it is paid for and grants records. */
  isLive: boolean;
  isTrial: boolean;
  /** For operators. */
  warning: string | null;
  createdSeconds: number;
  anchorSeconds: number;
  periodStartSeconds: number;
  periodEndSeconds: number;
  /** When it ends or ended; null for a live one without an end, and for one whose end Stripe does not state. */
  endsAtSeconds: number | null;
}

/** Blocks other transactions that follow the subscription, on every server, until this one ends. */
export async function lockSubscription(manager: EntityManager, subscriptionId: string): Promise<void> {
  await manager.query(`select pg_advisory_xact_lock(hashtextextended('subscription ' || $1, 0))`, [subscriptionId]);
}

/** Finds deleted customers too, through their subscriptions: their charges may still be refunded and disputed. */
export async function accountOfCustomer(manager: EntityManager, stripeCustomerId: string): Promise<string | null> {
  const owner =
    (await manager.findOneBy(BillingCustomerEntity, { stripeCustomerId })) ??
    (await manager.findOneBy(SubscriptionEntity, { stripeCustomerId }));
  return owner?.accountId ?? null;
}

interface SubscriptionOwner extends Pick<SubscriptionEntity, 'accountId' | 'warning' | 'unpaidBill'> {
  /** Whether we have followed the subscription before. */
  isKnown: boolean;
}

/** A subscription's account and warning. A known one keeps its account even if its customer was deleted. */
export async function findOwner(
  manager: EntityManager,
  subscriptionId: string,
  stripeCustomerId: string,
): Promise<SubscriptionOwner | null> {
  const known = await manager.findOneBy(SubscriptionEntity, { id: subscriptionId });
  if (known) return { ...known, isKnown: true };
  const accountId = await accountOfCustomer(manager, stripeCustomerId);
  return accountId ? { accountId, warning: null, unpaidBill: null, isKnown: false } : null;
}

/**
 * Stores the terms. A subscription that stopped without an end (unpaid, paused) counts as ended since we first saw that.
 * @returns its balance, if one is open yet
 */
export async function saveSubscription(manager: EntityManager, accountId: string, terms: SubscriptionTerms): Promise<string | null> {
  const [saved] = await manager.query<{ balance_id: string | null }[]>(
    `insert into subscription as s
            (id, account_id, stripe_customer_id, status, period_start, period_end, ends_at, created_at, warning)
     values ($1, $2, $3, $4, to_timestamp($5), to_timestamp($6),
             case when $8 then to_timestamp($7) else coalesce(to_timestamp($7), service_now()) end, to_timestamp($9), $10)
     on conflict (id) do update
        set status = excluded.status,
            period_start = excluded.period_start,
            period_end = excluded.period_end,
            ends_at = case when not $8 and $7 is null then least(s.ends_at, excluded.ends_at) else excluded.ends_at end,
            warning = excluded.warning
     returning balance_id`,
    [
      terms.id,
      accountId,
      terms.stripeCustomerId,
      terms.status,
      terms.periodStartSeconds,
      terms.periodEndSeconds,
      terms.endsAtSeconds,
      terms.isLive,
      terms.createdSeconds,
      terms.warning,
    ],
  );
  return saved!.balance_id;
}

/** @param paidUntilSeconds the end of the last paid period: the current one, or the one before */
export async function openBalance(
  manager: EntityManager,
  accountId: string,
  terms: SubscriptionTerms,
  paidUntilSeconds: number,
): Promise<void> {
  await manager.query(
    `update subscription s
        set balance_id = open_subscription_balance($2, $3, $4, to_timestamp($5), s.period_start, s.period_end, s.ends_at)
      where s.id = $1`,
    [terms.id, accountId, plans.paid.includedRecords, plans.paid.overageUnitCents, terms.anchorSeconds],
  );
  await manager.query(
    `with opened as (
       update credit_balance b set renew_until = to_timestamp($2) from subscription s where s.id = $1 and b.id = s.balance_id
       returning b.overage_cap
     )
     update subscription set kept_cap = opened.overage_cap from opened where id = $1`,
    [terms.id, paidUntilSeconds],
  );
}

/** @param paidUntilSeconds the end of the last paid period; if it is the current one, that may open before its first read */
export async function followSubscription(
  manager: EntityManager,
  balanceId: string,
  terms: SubscriptionTerms,
  paidUntilSeconds: number | null,
): Promise<void> {
  await manager.query(
    `select follow_subscription($1, to_timestamp($2), s.period_start, s.period_end, s.ends_at, $3, $4)
       from subscription s
      where s.balance_id = $1`,
    [balanceId, terms.anchorSeconds, paidUntilSeconds === terms.periodEndSeconds, plans.paid.overageUnitCents],
  );
  // The first read may open one period beyond the last paid one.
  await manager.query('update credit_balance set renew_until = to_timestamp($2) where id = $1 and renew_until < to_timestamp($2)', [
    balanceId,
    paidUntilSeconds,
  ]);
}

/** Stripe does not know the subscription, so it charges nobody. @returns its customer */
export async function endUnknown(manager: EntityManager, subscriptionId: string): Promise<string | null> {
  const [ended] = await manager.query<{ customer: string }[]>(
    `with ended as (
       update subscription set status = 'canceled', ends_at = least(ends_at, service_now()) where id = $1
       returning balance_id, ends_at, stripe_customer_id
     ), balance as (
       update credit_balance b set ends_at = ended.ends_at from ended where b.id = ended.balance_id
     )
     select stripe_customer_id as customer from ended`,
    [subscriptionId],
  );
  return ended?.customer ?? null;
}

/**
 * Stores which overage bill is not paid yet.
 * @param seen the one that the caller looked for; a later one stays
 * @param isStopped whether its payment failed: the balance then has no overage until it is paid
 */
export async function followUnpaidBill(
  manager: EntityManager,
  subscriptionId: string,
  seen: string,
  unpaidBill: string | null,
  isStopped: boolean,
): Promise<void> {
  await manager.query(
    `with followed as (
       update subscription set unpaid_bill = $2, is_overage_stopped = $3 where id = $1 and unpaid_bill = $4 returning balance_id, kept_cap
     )
     update credit_balance b set overage_cap = case when $3 then 0 else f.kept_cap end from followed f where b.id = f.balance_id`,
    [subscriptionId, unpaidBill, isStopped, seen],
  );
}

/** @param stripeCustomerId limits them to this customer */
export async function unendedSubscriptions(manager: EntityManager, accountId: string, stripeCustomerId?: string): Promise<string[]> {
  const status = Not(In(endedStatuses));
  const subscriptions = await manager.findBy(SubscriptionEntity, { accountId, status, ...(stripeCustomerId && { stripeCustomerId }) });
  return subscriptions.map(({ id }) => id);
}

/** Whether the account was closed or banned, and the ban not lifted since. */
export async function isClosed(manager: EntityManager, accountId: string): Promise<boolean> {
  const [account] = await manager.query<[{ isClosed: boolean }]>('select auth.is_account_closed($1) as "isClosed"', [accountId]);
  return account.isClosed;
}

/**
 * Ends what was started for an account that was closed or banned in the meantime; older subscriptions have been ended already.
 * @returns whether it was closed
 */
export async function endIfClosed(manager: EntityManager, accountId: string, delaySeconds: number): Promise<boolean> {
  const mustEnd = await isClosed(manager, accountId);
  if (mustEnd) await endSubscriptions(manager, accountId, delaySeconds);
  return mustEnd;
}
