import type { Pool } from 'pg';
import type Stripe from 'stripe';
import type { Config } from '../core/config.js';
import { AppError } from '../core/errors.js';
import type { AuditFinding } from '../database/books-check.js';
import { findMeter } from './catalogue.js';
import { meterTotal } from './meter-total.js';
import { checkStripeBills } from './stripe-bills.js';
import { openStripe } from './stripe-client.js';
import { checkStripeCredits } from './stripe-credits.js';
import { checkStripeSubscriptions } from './stripe-differences.js';

/**
 * Compares our books with Stripe's: what its meter holds, what its bills say, what it has to customers' credit, and which
 * subscriptions there are.
 * @throws AppError not_configured without a Stripe key or meter
 */
export async function checkStripeTotals(config: Pick<Config, 'stripeSecretKey' | 'stripeApiUrl'>, pool: Pool): Promise<AuditFinding[]> {
  const stripe = openStripe(config);
  if (!stripe) throw new AppError('not_configured', "Comparing with Stripe's meter needs STRIPE_SECRET_KEY.");
  const meter = await findMeter(stripe);
  if (!meter) throw new AppError('not_configured', 'Stripe has no active meter of ours: run stripe setup.');
  return [
    await checkMeter(stripe, meter.id, pool),
    await checkStripeBills(stripe, pool),
    await checkStripeCredits(stripe, pool),
    await checkStripeSubscriptions(stripe, pool),
  ];
}

/** Customer by customer, the overage that was sent and what the meter holds. */
async function checkMeter(stripe: Stripe, meterId: string, pool: Pool): Promise<AuditFinding> {
  const customers = await sentTotals(pool);
  const finding: AuditFinding = {
    invariant: "Stripe's meter holds exactly the overage that was reported to it",
    checked: customers.length,
    firstBreak: null,
  };
  for (const { stripeCustomerId, sent, isUndecided, ...span } of customers) {
    const held = await meterTotal(stripe, meterId, stripeCustomerId, span);
    if (isUndecided || held === BigInt(sent)) continue;
    finding.firstBreak = `customer ${stripeCustomerId}: ${sent} records reported, Stripe holds ${held}`;
    break;
  }
  return finding;
}

interface SentTotal {
  stripeCustomerId: string;
  sent: string;
  /** Whether Stripe may or may not have added up something: it was sent lately, or we are still to learn whether it arrived. */
  isUndecided: boolean;
  fromSeconds: number;
  untilSeconds: number;
}

async function sentTotals(pool: Pool): Promise<SentTotal[]> {
  // Stripe sums between whole minutes only.
  const { rows } = await pool.query<SentTotal>(
    `select s.stripe_customer_id as "stripeCustomerId",
            coalesce(sum(m.records) filter (where m.state = 'sent'), 0)::text as sent,
            coalesce(bool_or(m.state = 'waiting' or m.sent_at > service_now() - interval '10 minutes'), false) as "isUndecided",
            (60 * floor(extract(epoch from least(min(m.counted_at), min(s.created_at))) / 60))::integer as "fromSeconds",
            (60 * ceil(extract(epoch from service_now()) / 60) + 60)::integer as "untilSeconds"
       from subscription s
       -- not of customers that were deleted in Stripe, whose sums it tells no more
       join billing_customer c on c.stripe_customer_id = s.stripe_customer_id
       left join meter_event m on m.balance_id = s.balance_id and (m.state = 'sent' or m.state = 'waiting' and m.uncertain_since is not null)
      group by s.stripe_customer_id
      order by s.stripe_customer_id`,
  );
  return rows;
}
