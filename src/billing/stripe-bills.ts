import type { Pool } from 'pg';
import type Stripe from 'stripe';
import type { Finding } from '../usage/audit-check.js';
import { planProductId } from './catalogue.js';
import { isLastUsageOf } from './last-bill.js';
import { idOf } from './stripe-id.js';

/** What the bills of a subscription should say of overage: what was reported in time for each, and never less than nothing. */
interface ExpectedBills {
  subscriptionId: string;
  stripeCustomerId: string;
  bills: { periodEndSeconds: number; records: number }[];
}

/** Compares, period by period, the overage on Stripe's final bills with what was reported for them. */
export async function checkStripeBills(stripe: Stripe, pool: Pool): Promise<Finding> {
  const finding: Finding = { invariant: "Stripe's bills have exactly the overage of their periods", checked: 0, firstBreak: null };
  for (const { subscriptionId, stripeCustomerId, bills } of await expectedBills(pool)) {
    finding.checked += bills.length;
    const billed = await billedRecords(stripe, subscriptionId, stripeCustomerId);
    const wrong = bills.find(({ periodEndSeconds, records }) => (billed.get(periodEndSeconds) ?? 0) !== records);
    if (!wrong || finding.firstBreak) continue;
    const day = new Date(wrong.periodEndSeconds * 1000).toISOString().slice(0, 10);
    const found = billed.get(wrong.periodEndSeconds) ?? 0;
    finding.firstBreak = `subscription ${subscriptionId}, period until ${day}: ${wrong.records} records reported, ${found} billed`;
  }
  return finding;
}

async function expectedBills(pool: Pool): Promise<ExpectedBills[]> {
  // A bill is final an hour after its period, and one that we make ourselves two hours later. While nobody pays, Stripe leaves bills as drafts.
  const { rows } = await pool.query<ExpectedBills>(
    `with bill as (
       select s.id, s.stripe_customer_id, p.period_end, greatest(sum(m.records), 0) as records
         from meter_event m
         join credit_balance b on b.id = m.balance_id
         join subscription s on s.balance_id = b.id
        cross join lateral (
          select least(period_end_at(b.period_anchor, least(m.counted_at, b.ends_at - interval '1 second')), b.ends_at) as period_end
        ) p
        where m.state = 'sent' and (b.ends_at is null or m.counted_at < last_bill_at(b.period_anchor, b.ends_at))
          and service_now() > p.period_end + interval '3 hours'
          and s.status in ('active', 'past_due', 'canceled')
        group by s.id, p.period_end
     )
     select id as "subscriptionId", stripe_customer_id as "stripeCustomerId",
            json_agg(json_build_object('periodEndSeconds', extract(epoch from period_end)::integer, 'records', records)) as bills
       from bill
      group by id, stripe_customer_id
      order by id`,
  );
  return rows;
}

/** The overage on a subscription's final bills, by the end of its period in seconds since 1970. */
async function billedRecords(stripe: Stripe, subscriptionId: string, customer: string): Promise<Map<number, number>> {
  const billed = new Map<number, number>();
  for await (const invoice of stripe.invoices.list({ customer, limit: 100 })) {
    const subscription = invoice.parent?.subscription_details?.subscription;
    const isOfSubscription = subscription && idOf(subscription) === subscriptionId;
    if (!isOfSubscription && !isLastUsageOf(subscriptionId, invoice)) continue;
    if (invoice.status === 'draft' || invoice.status === 'void') continue;
    for (const { pricing, period, quantity } of invoice.lines.data) {
      // Of our two prices the plan's is paid ahead: only the overage's line ends where the bill begins.
      if (pricing?.price_details?.product !== planProductId || period.end > invoice.created) continue;
      billed.set(period.end, (billed.get(period.end) ?? 0) + (quantity ?? 0));
    }
  }
  return billed;
}
