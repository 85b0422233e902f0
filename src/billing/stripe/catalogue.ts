import type Stripe from 'stripe';
import { plans } from '../../ledger/plans.js';
import { idOf, orMissing } from './stripe-client.js';

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

/** Lets customers change only this in Stripe's portal. */
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

/**
 * How Stripe's products and price differ from the plan: one line for each wrong field.
 * @param hasAutomaticTax whether Stripe adds taxes to invoices
 */
export const catalogueFaults = ({ product, overage, plan }: Catalogue, hasAutomaticTax: boolean): string[] => [
  ...(product ? productFaults(product) : [`product ${planProductId} is missing`]),
  ...(overage ? productFaults(overage) : [`product ${overageProductId} is missing`]),
  ...(plan ? priceFaults(plan, planPriceParams, hasAutomaticTax) : [`price ${planLookupKey} is missing`]),
];

/** How a price in Stripe differs from ours in what its subscriptions are billed. Ignores `active` and tax. */
export function priceTermFaults(price: Stripe.Price, expected: Stripe.PriceCreateParams): string[] {
  const { recurring } = price;
  return differences(`price ${price.id} (${price.lookup_key ?? 'without lookup key'})`, [
    ['product', idOf(price.product), expected.product],
    ['currency', price.currency, expected.currency],
    ['billing_scheme', price.billing_scheme, 'per_unit'],
    ['unit_amount', price.unit_amount, expected.unit_amount],
    ['unit_amount_decimal', Number(price.unit_amount_decimal ?? price.unit_amount), expected.unit_amount],
    ['tiers_mode', price.tiers_mode, null],
    ['transform_quantity', price.transform_quantity, null],
    ['custom_unit_amount', price.custom_unit_amount, null],
    ['recurring.interval', recurring?.interval, expected.recurring?.interval],
    ['recurring.interval_count', recurring?.interval_count, 1],
    ['recurring.usage_type', recurring?.usage_type, 'licensed'],
    ['recurring.meter', recurring?.meter, null],
    ['recurring.trial_period_days', recurring?.trial_period_days, null],
  ]);
}

/** Stripe sends these only if expanded (see setup.ts). Our checkouts name the currency, whatever else a price has. */
const otherCurrencies = ({ currency, currency_options }: Stripe.Price): string | null =>
  Object.keys(currency_options ?? {})
    .filter((other) => other !== currency)
    .join(', ') || null;

/** All faults of the price that we sell with. */
function priceFaults(price: Stripe.Price, expected: Stripe.PriceCreateParams, hasAutomaticTax: boolean): string[] {
  // Without automatic tax, an unspecified tax behavior changes nothing.
  const isTaxUnimportant = !hasAutomaticTax && (price.tax_behavior ?? 'unspecified') === 'unspecified';
  return [
    ...priceTermFaults(price, expected),
    ...differences(`price ${price.id} (${price.lookup_key})`, [
      ['active', price.active, true],
      ['currency_options', otherCurrencies(price), null],
      ['tax_behavior', isTaxUnimportant ? expected.tax_behavior : price.tax_behavior, expected.tax_behavior],
    ]),
  ];
}

const productFaults = (product: Stripe.Product): string[] => differences(`product ${product.id}`, [['active', product.active, true]]);

/** How the portal differs from what customers should be able to do there. */
export function portalFaults({ id, features }: Stripe.BillingPortal.Configuration): string[] {
  return differences(`portal configuration ${id}`, [
    ['features.subscription_cancel.enabled', features.subscription_cancel.enabled, true],
    ['features.subscription_cancel.mode', features.subscription_cancel.mode, 'at_period_end'],
    ['features.payment_method_update.enabled', features.payment_method_update.enabled, true],
    ['features.invoice_history.enabled', features.invoice_history.enabled, true],
    ['features.subscription_update.enabled', features.subscription_update?.enabled ?? false, false],
    ['features.subscription_pause.enabled', features.subscription_pause?.enabled ?? false, false],
  ]);
}

const differences = (of: string, fields: [name: string, is: unknown, should: unknown][]): string[] =>
  fields
    .filter(([, is, should]) => (is ?? null) !== (should ?? null))
    .map(([name, is, should]) => `${of}: ${name} is ${JSON.stringify(is ?? null)}, should be ${JSON.stringify(should ?? null)}`);
