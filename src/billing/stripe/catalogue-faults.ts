import type Stripe from 'stripe';
import { type Catalogue, overageProductId, planLookupKey, planPriceParams, planProductId } from './catalogue.js';
import { idOf } from './stripe-client.js';

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
