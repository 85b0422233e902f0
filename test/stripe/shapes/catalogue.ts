import type Stripe from 'stripe';
import { newId } from '../world.js';

export function product(created: number, params: Stripe.ProductCreateParams): Stripe.Product {
  return {
    id: params.id ?? newId('prod'),
    object: 'product',
    active: true,
    created,
    default_price: null,
    description: params.description ?? null,
    images: [],
    livemode: false,
    marketing_features: [],
    metadata: {},
    name: params.name,
    package_dimensions: null,
    shippable: null,
    statement_descriptor: null,
    tax_code: null,
    tax_details: null,
    type: 'service',
    unit_label: params.unit_label ?? null,
    updated: created,
    url: null,
  };
}

export function price(created: number, params: Stripe.PriceCreateParams): Stripe.Price {
  const recurring = params.recurring;
  return {
    id: newId('price'),
    object: 'price',
    active: true,
    billing_scheme: 'per_unit',
    created,
    currency: params.currency,
    custom_unit_amount: null,
    livemode: false,
    lookup_key: params.lookup_key ?? null,
    metadata: {},
    nickname: params.nickname ?? null,
    product: params.product!,
    recurring: recurring
      ? {
          interval: recurring.interval,
          interval_count: Number(recurring.interval_count ?? 1),
          meter: recurring.meter ?? null,
          trial_period_days: null,
          usage_type: recurring.usage_type ?? 'licensed',
        }
      : null,
    tax_behavior: params.tax_behavior ?? 'unspecified',
    tiers_mode: null,
    transform_quantity: null,
    type: recurring ? 'recurring' : 'one_time',
    unit_amount: Number(params.unit_amount),
    unit_amount_decimal: decimalText(Number(params.unit_amount)),
  };
}

/** The older object that subscription items still carry beside their price. */
export function plan(of: Stripe.Price): Stripe.Plan {
  return {
    id: of.id,
    object: 'plan',
    active: of.active,
    amount: of.unit_amount,
    amount_decimal: of.unit_amount_decimal,
    billing_scheme: of.billing_scheme,
    created: of.created,
    currency: of.currency,
    interval: of.recurring!.interval,
    interval_count: of.recurring!.interval_count,
    livemode: false,
    metadata: {},
    meter: of.recurring!.meter,
    nickname: of.nickname,
    product: of.product,
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: null,
    usage_type: of.recurring!.usage_type,
  };
}

/** Decimals are text in JSON; the SDK converts them. */
export const decimalText = (number: number): Stripe.Decimal => String(number) as unknown as Stripe.Decimal;
