import type Stripe from 'stripe';
import { plans } from '../ledger/plans.js';
import { orMissing } from './stripe-client.js';

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
  tax_behavior: 'exclusive',
};

export const overagePriceParams = (meterId: string): Stripe.PriceCreateParams => ({
  product: planProductId,
  lookup_key: overageLookupKey,
  nickname: 'API Records, each further record',
  currency: 'usd',
  unit_amount: plans.paid.overageUnitCents,
  recurring: { interval: 'month', usage_type: 'metered', meter: meterId },
  tax_behavior: 'exclusive',
});

/** What our customers may do on Stripe's own pages. */
export const portalParams: Stripe.BillingPortal.ConfigurationCreateParams = {
  name: 'API Records',
  business_profile: { headline: 'API Records' },
  features: {
    customer_update: { enabled: true, allowed_updates: ['address', 'name', 'tax_id'] },
    invoice_history: { enabled: true },
    payment_method_update: { enabled: true },
    // At once would leave the usage of the running period without a bill.
    subscription_cancel: { enabled: true, mode: 'at_period_end' },
  },
  metadata: { product: planProductId },
};

/** What there is of ours in Stripe, right or wrong. */
export interface Catalogue {
  product: Stripe.Product | undefined;
  meter: Stripe.Billing.Meter | undefined;
  plan: Stripe.Price | undefined;
  overage: Stripe.Price | undefined;
}

export async function findCatalogue(stripe: Stripe): Promise<Catalogue> {
  const [product, meter, prices] = await Promise.all([
    orMissing(stripe.products.retrieve(planProductId)),
    findMeter(stripe),
    stripe.prices.list({ lookup_keys: [planLookupKey, overageLookupKey], limit: 10 }),
  ]);
  return {
    product: product ?? undefined,
    meter,
    plan: prices.data.find((price) => price.lookup_key === planLookupKey),
    overage: prices.data.find((price) => price.lookup_key === overageLookupKey),
  };
}

/** Our meter, if it is active. */
export async function findMeter(stripe: Stripe): Promise<Stripe.Billing.Meter | undefined> {
  for await (const meter of stripe.billing.meters.list({ status: 'active', limit: 100 })) {
    if (meter.event_name === overageEventName) return meter;
  }
  return undefined;
}

/** The configuration of the customer portal that `stripe setup` made. */
export async function findPortal(stripe: Stripe): Promise<Stripe.BillingPortal.Configuration | undefined> {
  for await (const portal of stripe.billingPortal.configurations.list({ active: true, limit: 100 })) {
    if (portal.metadata?.product === planProductId) return portal;
  }
  return undefined;
}
