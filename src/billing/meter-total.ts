import type Stripe from 'stripe';

/** Between whole minutes, in seconds since 1970. */
export interface Span {
  fromSeconds: number;
  untilSeconds: number;
}

/** What Stripe's meter holds for a customer. It adds up what it takes some minutes later. */
export async function meterTotal(stripe: Stripe, meterId: string, stripeCustomerId: string, span: Span): Promise<bigint> {
  const params = { customer: stripeCustomerId, start_time: span.fromSeconds, end_time: span.untilSeconds };
  let total = 0n;
  for await (const summary of stripe.billing.meters.listEventSummaries(meterId, params)) total += BigInt(summary.aggregated_value);
  return total;
}
