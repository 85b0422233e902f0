import type Stripe from 'stripe';
import { plans } from '../../ledger/plans.js';
import { orMissing } from './stripe-client.js';

/** Existing subscriptions refer to these ids and keys, so they may never change. */
export const planProductId = 'api_records';
/** Overage has a product of its own: a coupon for the plan must not make it cheaper. */
export const overageProductId = 'api_records_overage';
export const planLookupKey = 'api_records_monthly';

export const productParams: Stripe.ProductCreateParams = {
  id: planProductId,
  name: 'API Records',
  description: `${plans.paid.includedRecords} parcel records a month; each overage record is billed after the month.`,
  unit_label: 'record',
};

export const overageProductParams: Stripe.ProductCreateParams = {
  id: overageProductId,
  name: 'API Records, overage',
  unit_label: 'record',
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

/** What customers may do in Stripe's portal. */
export const portalParams: Stripe.BillingPortal.ConfigurationCreateParams = {
  name: 'API Records',
  business_profile: { headline: 'API Records' },
  features: {
    customer_update: { enabled: true, allowed_updates: ['address', 'name', 'tax_id'] },
    invoice_history: { enabled: true },
    payment_method_update: { enabled: true },
    subscription_cancel: { enabled: true, mode: 'at_period_end' },
  },
  metadata: { product: planProductId },
};

/** Our products and price as they are in Stripe, right or wrong. */
export interface Catalogue {
  product: Stripe.Product | undefined;
  overage: Stripe.Product | undefined;
  plan: Stripe.Price | undefined;
}

export async function findCatalogue(stripe: Stripe): Promise<Catalogue> {
  const [product, overage, prices] = await Promise.all([
    orMissing(stripe.products.retrieve(planProductId)),
    orMissing(stripe.products.retrieve(overageProductId)),
    stripe.prices.list({ lookup_keys: [planLookupKey], limit: 10 }),
  ]);
  return { product: product ?? undefined, overage: overage ?? undefined, plan: prices.data[0] };
}

/** The configuration of the customer portal that `stripe setup` made. */
export async function findPortal(stripe: Stripe): Promise<Stripe.BillingPortal.Configuration | undefined> {
  for await (const portal of stripe.billingPortal.configurations.list({ active: true, limit: 100 })) {
    if (portal.metadata?.product === planProductId) return portal;
  }
  return undefined;
}
