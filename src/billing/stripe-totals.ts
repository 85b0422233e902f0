import type { Pool } from 'pg';
import type Stripe from 'stripe';
import type { Config } from '../config.js';
import { AppError } from '../errors.js';
import type { Finding } from '../usage/audit-check.js';
import { findMeter } from './catalogue.js';
import { openStripe } from './stripe-client.js';

/**
 * Compares, customer by customer, the overage that the outbox has sent with what Stripe's meter holds. Stripe adds events up within
 * minutes: a difference that stays is a break.
 * @throws AppError not_configured without a Stripe key or meter
 */
export async function checkStripeTotals(config: Pick<Config, 'stripeSecretKey' | 'stripeApiUrl'>, pool: Pool): Promise<Finding> {
  const stripe = openStripe(config);
  if (!stripe) throw new AppError('not_configured', "Comparing with Stripe's meter needs STRIPE_SECRET_KEY.");
  const meter = await findMeter(stripe);
  if (!meter) throw new AppError('not_configured', 'Stripe has no active meter of ours: run stripe setup.');
  const customers = await reportedTotals(pool);
  const finding: Finding = {
    invariant: "Stripe's meter holds exactly the overage that was reported to it",
    checked: customers.length,
    firstBreak: null,
  };
  for (const customer of customers) {
    const held = await meterTotal(stripe, meter.id, customer);
    if (held !== BigInt(customer.reported)) {
      finding.firstBreak = `customer ${customer.stripeCustomerId} of account ${customer.accountId}: ${customer.reported} records reported, Stripe holds ${held}`;
      break;
    }
  }
  return finding;
}

interface ReportedTotal {
  accountId: string;
  stripeCustomerId: string;
  reported: string;
  fromSeconds: number;
  untilSeconds: number;
}

async function reportedTotals(pool: Pool): Promise<ReportedTotal[]> {
  // Stripe sums between whole minutes only.
  const { rows } = await pool.query<ReportedTotal>(
    `select c.account_id as "accountId", c.stripe_customer_id as "stripeCustomerId",
            coalesce(sum(r.records) filter (where r.state = 'sent'), 0)::text as reported,
            (60 * floor(extract(epoch from min(s.created_at)) / 60))::integer as "fromSeconds",
            (60 * ceil(extract(epoch from service_now()) / 60) + 60)::integer as "untilSeconds"
       from billing_customer c
       join subscription s on s.account_id = c.account_id
       left join overage_report r on r.balance_id = s.balance_id
      group by c.account_id
      order by c.account_id`,
  );
  return rows;
}

async function meterTotal(stripe: Stripe, meterId: string, of: ReportedTotal): Promise<bigint> {
  const params = { customer: of.stripeCustomerId, start_time: of.fromSeconds, end_time: of.untilSeconds };
  let total = 0n;
  for await (const summary of stripe.billing.meters.listEventSummaries(meterId, params)) total += BigInt(summary.aggregated_value);
  return total;
}
