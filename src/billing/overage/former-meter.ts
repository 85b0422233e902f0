import type { Pool } from 'pg';
import type Stripe from 'stripe';
import { findOldMeter } from '../stripe/catalogue.js';
import type { OverageItem } from './overage-item.store.js';

/**
 * Whether overage that the metered release sent to Stripe without an answer arrived: the meter's sums decide for what is nearer, and the nightly
 * comparison names the rest. Needed only until such items are settled, some hours after the upgrade.
 */
export async function meteredOutcome(stripe: Stripe, pool: Pool, { stripeCustomerId, records }: OverageItem): Promise<'billed' | 'missed'> {
  const meter = await findOldMeter(stripe);
  if (!meter) return 'missed';
  const { rows } = await pool.query<{ known: number; from: number; until: number }>(
    `select coalesce(sum(i.records) filter (where i.way = 'meter' and i.state = 'billed'), 0)::float as known,
            60 * floor(extract(epoch from min(s.created_at)) / 60)::float as from,
            (60 * ceil(extract(epoch from service_now()) / 60) + 60)::float as until
       from subscription s left join overage_item i on i.balance_id = s.balance_id where s.stripe_customer_id = $1`,
    [stripeCustomerId],
  );
  const { known, from, until } = rows[0]!;
  let beyond = -known;
  const params = { customer: stripeCustomerId, start_time: from, end_time: until };
  for await (const { aggregated_value } of stripe.billing.meters.listEventSummaries(meter.id, params)) beyond += aggregated_value;
  return Math.abs(beyond - records) < Math.abs(beyond) ? 'billed' : 'missed';
}
