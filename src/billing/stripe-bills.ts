import type { Pool } from 'pg';
import type Stripe from 'stripe';
import type { AuditFinding } from '../database/books-check.js';
import { isLastUsageOf } from './last-bill.js';
import { overageLinesOf } from './overage-lines.js';
import { idOf } from './stripe-id.js';
import { wholeBill } from './whole-bill.js';

/** What the bills of a subscription should say of overage: what was reported in time for each, and never less than nothing. */
interface ExpectedBills {
  subscriptionId: string;
  stripeCustomerId: string;
  /** Other periods that ended by then have none. */
  finalSeconds: number;
  bills: { periodEndSeconds: number; records: number }[];
}

/** Compares, period by period, the overage on Stripe's final bills with what was reported for them. */
export async function checkStripeBills(stripe: Stripe, pool: Pool): Promise<AuditFinding> {
  const finding: AuditFinding = { invariant: "Stripe's bills have exactly the overage of their periods", checked: 0, firstBreak: null };
  for (const subscription of await expectedBills(pool)) {
    const { subscriptionId, finalSeconds, bills } = subscription;
    finding.checked += bills.length;
    const { billed, open } = await billedRecords(stripe, subscription);
    const expected = new Map(bills.map(({ periodEndSeconds, records }) => [periodEndSeconds, records]));
    const ends = [...expected.keys(), ...[...billed.keys()].filter((end) => end < finalSeconds)];
    const wrong = ends.find((end) => !open.has(end) && (billed.get(end) ?? 0) !== (expected.get(end) ?? 0));
    if (wrong === undefined || finding.firstBreak) continue;
    const day = new Date(wrong * 1000).toISOString().slice(0, 10);
    finding.firstBreak = `subscription ${subscriptionId}, period until ${day}: ${expected.get(wrong) ?? 0} records reported, ${billed.get(wrong) ?? 0} billed`;
  }
  return finding;
}

async function expectedBills(pool: Pool): Promise<ExpectedBills[]> {
  // A bill is final an hour after its period, and one that we make ourselves two hours later. While nobody pays, Stripe leaves bills as drafts.
  // Of a customer with any overage all subscriptions are compared, but for those whose last bill still waits: what is of one must not be on
  // a bill of another, too.
  const { rows } = await pool.query<ExpectedBills>(
    `with bill as (
       select s.id, b.billed_at as period_end, greatest(b.records, 0) + coalesce((
                -- what was credited of the last bill is on it
                select c.records from billing_credit c where c.balance_id = s.balance_id and c.is_of_last_bill and b.billed_at = ended_at(s)
              ), 0) as records
         from (select distinct stripe_customer_id as customer from subscription) c
        cross join lateral bill_sums(c.customer) b
         join subscription s on s.id = b.subscription_id
        where b.billed_at < service_now() - interval '3 hours'
     )
     select s.id as "subscriptionId", s.stripe_customer_id as "stripeCustomerId",
            extract(epoch from service_now() - interval '3 hours')::integer as "finalSeconds",
            coalesce(json_agg(json_build_object('periodEndSeconds', extract(epoch from bill.period_end)::integer, 'records', bill.records))
                       filter (where bill.id is not null), '[]') as bills
       from subscription s
       left join bill on bill.id = s.id
      where s.status in ('active', 'past_due', 'canceled')
        and s.stripe_customer_id in (select stripe_customer_id from meter_event where state = 'sent')
        and not (ended_at(s) is not null and is_undecided(s))
      group by s.id
      order by s.id`,
  );
  return rows;
}

/** The overage on a subscription's bills, by the end of its period in seconds since 1970. */
interface BilledRecords {
  billed: Map<number, number>;
  /** Those that Stripe is still to make final: after an hour, or up to three days by its settings or while it waits for a webhook. */
  open: Set<number>;
}

async function billedRecords(
  stripe: Stripe,
  { subscriptionId, stripeCustomerId: customer, finalSeconds }: ExpectedBills,
): Promise<BilledRecords> {
  const records: BilledRecords = { billed: new Map(), open: new Set() };
  const { billed, open } = records;
  for await (const invoice of stripe.invoices.list({ customer, limit: 100 })) {
    const subscription = invoice.parent?.subscription_details?.subscription;
    const isOfSubscription = subscription && idOf(subscription) === subscriptionId;
    if (!isOfSubscription && !isLastUsageOf(subscriptionId, invoice)) continue;
    const { status, automatically_finalizes_at } = invoice;
    if (status === 'void' || (status === 'draft' && (automatically_finalizes_at ?? 0) <= finalSeconds)) continue;
    for (const { period, quantity } of overageLinesOf(await wholeBill(stripe, invoice))) {
      if (status === 'draft') open.add(period.end);
      else billed.set(period.end, (billed.get(period.end) ?? 0) + (quantity ?? 0));
    }
  }
  return records;
}
