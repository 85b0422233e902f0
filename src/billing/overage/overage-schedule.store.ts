import type { Pool } from 'pg';
import type Stripe from 'stripe';
import { subscriptionOf } from '../stripe/invoices.js';

/** Schedules a check now for balances with a reversed read. */
export async function scheduleChanged(pool: Pool): Promise<void> {
  await pool.query(
    `with changed as (delete from overage_change returning balance_id)
     update subscription s set overage_at = service_now() from changed where s.balance_id = changed.balance_id`,
  );
}

/** Claims customers whose overage is due for a check; other servers skip them for ten minutes. */
export async function claimCustomers(pool: Pool, limit: number): Promise<string[]> {
  const { rows } = await pool.query<{ customer: string }>(
    `with claimed as (
       update subscription s set overage_at = service_now() + interval '10 minutes'
         from (select id from subscription where overage_at <= service_now() order by overage_at, id limit $1 for update skip locked) due
        where s.id = due.id
       returning s.stripe_customer_id)
     select distinct stripe_customer_id as customer from claimed order by 1`,
    [limit],
  );
  return rows.map(({ customer }) => customer);
}

/**
 * Schedules the next check of each of the customer's subscriptions. With overage due: every minute while a draft may come, then every hour.
 * Otherwise when the next of its periods is closed. A reversed read schedules its own check.
 */
export async function scheduleNextCheck(pool: Pool, stripeCustomerId: string): Promise<void> {
  await pool.query(
    `update subscription s
        set overage_at = case
              when due.is_any then service_now() + case
                when case when closing.at <= service_now() then closing.at else b.period_start end > service_now() - interval '3 hours'
                then interval '1 minute' else interval '1 hour' end
              -- The period before this one is not closed yet: a read or the invoice's event opened this one.
              when b.period_start + taken_back_within() > service_now() then b.period_start + taken_back_within()
              when closing.at + taken_back_within() > service_now() then closing.at + taken_back_within()
            end
       from credit_balance b
      cross join lateral (select least(b.period_end, b.ends_at) as at) closing
      cross join (select exists (select from overage_due($1) where not is_open) as is_any) due
      where s.stripe_customer_id = $1 and b.id = s.balance_id
        -- an event may have scheduled an earlier check in the meantime
        and s.overage_at > service_now()`,
    [stripeCustomerId],
  );
}

/** Whether one of a customer's overage invoices is not paid yet. Until it is, there is no further one within the period. */
export async function owesOverage(pool: Pool, stripeCustomerId: string): Promise<boolean> {
  const { rows } = await pool.query('select from subscription where stripe_customer_id = $1 and unpaid_bill is not null', [
    stripeCustomerId,
  ]);
  return rows.length > 0;
}

/** `SubscriptionSync` follows it until it is paid; its event may have come already. */
export async function setUnpaidBill(pool: Pool, bill: Stripe.Invoice): Promise<void> {
  await pool.query(
    `update subscription set unpaid_bill = $2, follow_at = least(follow_at, service_now() + interval '1 minute') where id = $1`,
    [subscriptionOf(bill), bill.hosted_invoice_url ?? bill.id],
  );
}

/** Customers whose open overage has reached the threshold, and who owe no earlier one. */
export async function customersOverThreshold(pool: Pool, cents: number): Promise<string[]> {
  const { rows } = await pool.query<{ customer: string }>(
    `select s.stripe_customer_id as customer
       from subscription s
       join credit_balance b on b.id = s.balance_id
      cross join lateral (
        select coalesce(sum(i.records::bigint * i.unit_cents), 0) as cents from overage_item i
         where i.balance_id = b.id and i.period_start = b.period_start and i.state <> 'missed'
      ) billed
      where (b.ends_at <= service_now()) is not true and b.overage_records > 0
      group by 1
     having sum(b.overage_records::bigint * b.overage_unit_cents - billed.cents) >= $1 and count(s.unpaid_bill) = 0
      order by 1`,
    [cents],
  );
  return rows.map(({ customer }) => customer);
}

/** Warns operators of overage that is not billed because the customer was deleted in Stripe. */
export async function warnOfUnbilled(pool: Pool, stripeCustomerId: string, records: number): Promise<void> {
  await pool.query(
    `update subscription set warning = format('its customer was deleted in Stripe, and %s overage records are not billed', $2::integer)
      where id = (select id from subscription where stripe_customer_id = $1 order by ends_at desc nulls last, id limit 1)`,
    [stripeCustomerId, records],
  );
}
