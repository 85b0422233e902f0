import type Stripe from 'stripe';
import { type Catalogue, planLookupKey, planPriceParams, planProductId } from './catalogue.js';
import { idOf } from './stripe-id.js';

/**
 * How what is in Stripe differs from the plan, a line for each field of each object that would bill something else.
 * @param hasAutomaticTax whether Stripe adds taxes to the bills
 */
export const catalogueFaults = ({ product, plan }: Catalogue, hasAutomaticTax: boolean): string[] => [
  ...(product ? productFaults(product) : [`product ${planProductId} is missing`]),
  ...(plan ? priceFaults(plan, planPriceParams, hasAutomaticTax) : [`price ${planLookupKey} is missing`]),
];

/** How a price in Stripe differs from the one that we mean, but for its being archived and its tax: what a subscription on it is billed. */
export function priceTermFaults(price: Stripe.Price, meant: Stripe.PriceCreateParams): string[] {
  const { recurring } = price;
  return differences(`price ${price.id} (${price.lookup_key ?? 'without lookup key'})`, [
    ['product', idOf(price.product), meant.product],
    ['currency', price.currency, meant.currency],
    ['billing_scheme', price.billing_scheme, 'per_unit'],
    ['unit_amount', price.unit_amount, meant.unit_amount],
    ['unit_amount_decimal', Number(price.unit_amount_decimal ?? price.unit_amount), meant.unit_amount],
    ['tiers_mode', price.tiers_mode, null],
    ['transform_quantity', price.transform_quantity, null],
    ['custom_unit_amount', price.custom_unit_amount, null],
    ['recurring.interval', recurring?.interval, meant.recurring?.interval],
    ['recurring.interval_count', recurring?.interval_count, 1],
    ['recurring.usage_type', recurring?.usage_type, 'licensed'],
    ['recurring.meter', recurring?.meter, null],
    ['recurring.trial_period_days', recurring?.trial_period_days, null],
  ]);
}

/** Told by Stripe where it is asked for only (see setup.ts). A checkout of ours is in our currency whatever else a price has. */
const otherCurrencies = ({ currency, currency_options }: Stripe.Price): string | null =>
  Object.keys(currency_options ?? {})
    .filter((other) => other !== currency)
    .join(', ') || null;

/** The whole of a price with which we sell. */
function priceFaults(price: Stripe.Price, meant: Stripe.PriceCreateParams, hasAutomaticTax: boolean): string[] {
  // Without automatic tax it makes no difference that nobody said how tax relates to a price.
  const isTaxUnimportant = !hasAutomaticTax && (price.tax_behavior ?? 'unspecified') === 'unspecified';
  return [
    ...priceTermFaults(price, meant),
    ...differences(`price ${price.id} (${price.lookup_key})`, [
      ['active', price.active, true],
      ['currency_options', otherCurrencies(price), null],
      ['tax_behavior', isTaxUnimportant ? meant.tax_behavior : price.tax_behavior, meant.tax_behavior],
    ]),
  ];
}

const productFaults = (product: Stripe.Product): string[] => differences(`product ${product.id}`, [['active', product.active, true]]);

/** How the portal differs from what our customers are to do there. */
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
