import type Stripe from 'stripe';
import { plans } from '../usage/plans.js';
import { idOf } from './stripe-id.js';

/** Our ids and keys in Stripe. Existing subscriptions refer to them, so they may never change. */
export const planProductId = 'api_records';
export const overageEventName = 'api_records_overage';
export const planLookupKey = 'api_records_monthly';
export const overageLookupKey = 'api_records_overage';

export const productParams: Stripe.ProductCreateParams = {
  id: planProductId,
  name: 'API Records',
  description: `${plans.paid.includedRecords} parcel records a month; further records are metered.`,
  unit_label: 'record',
};

export const meterParams: Stripe.Billing.MeterCreateParams = {
  display_name: 'API Records overage',
  event_name: overageEventName,
  default_aggregation: { formula: 'sum' },
  customer_mapping: { type: 'by_id', event_payload_key: 'stripe_customer_id' },
  value_settings: { event_payload_key: 'value' },
};

export const planPriceParams: Stripe.PriceCreateParams = {
  product: planProductId,
  lookup_key: planLookupKey,
  nickname: 'API Records, monthly',
  currency: 'usd',
  unit_amount: plans.paid.priceCents,
  recurring: { interval: 'month' },
};

export const overagePriceParams = (meterId: string): Stripe.PriceCreateParams => ({
  product: planProductId,
  lookup_key: overageLookupKey,
  nickname: 'API Records, each further record',
  currency: 'usd',
  unit_amount: plans.paid.overageUnitCents,
  recurring: { interval: 'month', usage_type: 'metered', meter: meterId },
});

/** How an existing price in Stripe differs from the one that we expect, a line for each difference. */
export function priceFaults(price: Stripe.Price, meant: Stripe.PriceCreateParams): string[] {
  const { recurring } = price;
  const compare: [string, unknown, unknown][] = [
    ['currency', price.currency, meant.currency],
    ['unit amount in cents', price.unit_amount, meant.unit_amount],
    ['billing scheme', price.billing_scheme, 'per_unit'],
    ['product', idOf(price.product), meant.product],
    ['interval', recurring?.interval, meant.recurring?.interval],
    ['interval count', recurring?.interval_count, 1],
    ['usage type', recurring?.usage_type, meant.recurring?.usage_type ?? 'licensed'],
    ['meter', recurring?.meter ?? null, meant.recurring?.meter ?? null],
  ];
  return compare
    .filter(([, is, should]) => is !== should)
    .map(([what, is, should]) => `price ${price.id} (${price.lookup_key}): ${what} is ${is}, should be ${should}`);
}

/** The prices with our lookup keys. Their amounts are not checked here: see `priceFaults`. */
export async function findPrices(stripe: Stripe): Promise<{ plan: Stripe.Price | undefined; overage: Stripe.Price | undefined }> {
  const { data } = await stripe.prices.list({ lookup_keys: [planLookupKey, overageLookupKey], active: true, limit: 10 });
  return {
    plan: data.find((price) => price.lookup_key === planLookupKey),
    overage: data.find((price) => price.lookup_key === overageLookupKey),
  };
}

/** Our meter, if it is active. */
export async function findMeter(stripe: Stripe): Promise<Stripe.Billing.Meter | undefined> {
  for await (const meter of stripe.billing.meters.list({ status: 'active', limit: 100 })) {
    if (meter.event_name === overageEventName) return meter;
  }
  return undefined;
}
