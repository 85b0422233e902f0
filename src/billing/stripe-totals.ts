import type { Pool } from 'pg';
import type Stripe from 'stripe';
import { findMeter } from './catalogue.js';

/** One customer whose overage Stripe counts otherwise than we reported it. */
export interface StripeTotalFault {
  accountId: string;
  stripeCustomerId: string;
  reportedRecords: string;
  stripeRecords: string;
}

/**
 * Compares what the outbox has sent for each customer with what Stripe's meter holds. Stripe adds events up within a few minutes:
 * a difference that stays is a fault.
 */
export async function checkStripeTotals(stripe: Stripe, pool: Pool): Promise<StripeTotalFault[]> {
  const { rows: customers } = await pool.query<CustomerTotal>(
    `select c.account_id as "accountId", c.stripe_customer_id as "stripeCustomerId",
            coalesce(sum(r.records) filter (where r.state = 'sent'), 0)::text as "reportedRecords",
            (60 * floor(extract(epoch from min(s.created_at)) / 60))::bigint as "fromSeconds",
            (60 * ceil(extract(epoch from service_now()) / 60) + 60)::bigint as "untilSeconds"
       from billing_customer c
       join subscription s on s.account_id = c.account_id
       left join overage_report r on r.balance_id = s.balance_id
      group by c.account_id
      order by c.account_id`,
  );
  if (customers.length === 0) return [];
  const meter = await findMeter(stripe);
  if (!meter) throw new Error('Stripe has no active meter of ours: run stripe setup');
  const faults: StripeTotalFault[] = [];
  for (const { fromSeconds, untilSeconds, ...customer } of customers) {
    const stripeRecords = await meterTotal(stripe, meter.id, customer.stripeCustomerId, Number(fromSeconds), Number(untilSeconds));
    if (stripeRecords !== customer.reportedRecords) faults.push({ ...customer, stripeRecords });
  }
  return faults;
}

interface CustomerTotal {
  accountId: string;
  stripeCustomerId: string;
  reportedRecords: string;
  fromSeconds: string;
  untilSeconds: string;
}

async function meterTotal(stripe: Stripe, meterId: string, customer: string, start: number, end: number): Promise<string> {
  let total = 0n;
  for await (const summary of stripe.billing.meters.listEventSummaries(meterId, { customer, start_time: start, end_time: end })) {
    total += BigInt(summary.aggregated_value);
  }
  return total.toString();
}
