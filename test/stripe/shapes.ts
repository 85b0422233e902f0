import type Stripe from 'stripe';
import { newId } from './world.js';

// Objects of Stripe with the fields that anything here reads.

export const product = (created: number, { id = newId('prod'), name }: Stripe.ProductCreateParams): Stripe.Product =>
  ({ id, object: 'product', active: true, created, name }) as Stripe.Product;

export function price(created: number, params: Stripe.PriceCreateParams): Stripe.Price {
  const { currency, lookup_key = null, nickname = null, product, recurring, tax_behavior = 'unspecified' } = params;
  return {
    id: newId('price'),
    object: 'price',
    active: true,
    billing_scheme: 'per_unit',
    created,
    currency,
    lookup_key,
    nickname,
    product,
    recurring: { interval: recurring!.interval, interval_count: 1, usage_type: 'licensed' },
    tax_behavior,
    tiers_mode: null,
    transform_quantity: null,
    unit_amount: Number(params.unit_amount),
    unit_amount_decimal: null,
  } as Stripe.Price;
}

type CustomerParams = Partial<Pick<Stripe.Customer, 'email' | 'name' | 'metadata'>>;

export const customer = (created: number, { email = null, name = null, metadata = {} }: CustomerParams): Stripe.Customer =>
  ({
    id: newId('cus'),
    object: 'customer',
    balance: 0,
    created,
    email,
    invoice_settings: { custom_fields: null },
    metadata,
    name,
  }) as Stripe.Customer;

const sessionSeconds = 24 * 3600;

export function checkoutSession(created: number, payBase: string, params: Stripe.Checkout.SessionCreateParams): Stripe.Checkout.Session {
  const id = newId('cs_test');
  const { cancel_url, client_reference_id = null, currency = null, customer, mode, success_url } = params;
  return {
    id,
    object: 'checkout.session',
    automatic_tax: { enabled: String(params.automatic_tax?.enabled) === 'true' },
    cancel_url,
    client_reference_id,
    created,
    currency,
    customer,
    expires_at: created + sessionSeconds,
    invoice: null,
    mode,
    payment_status: 'unpaid',
    status: 'open',
    subscription: null,
    success_url,
    url: `${payBase}/pay/${id}`,
  } as Stripe.Checkout.Session;
}

interface NewSubscription {
  customer: string;
  prices: Stripe.Price[];
  start: number;
  periodEnd: number;
  metadata: Stripe.Metadata;
}

export function subscription({ customer, prices, start, periodEnd, metadata }: NewSubscription): Stripe.Subscription {
  const id = newId('sub');
  const items = prices.map((price) => ({
    id: newId('si'),
    object: 'subscription_item',
    current_period_end: periodEnd,
    current_period_start: start,
    price,
    quantity: 1,
    subscription: id,
    tax_rates: [] as Stripe.TaxRate[],
  }));
  return {
    id,
    object: 'subscription',
    automatic_tax: { enabled: false },
    billing_cycle_anchor: start,
    cancel_at: null,
    cancel_at_period_end: false,
    collection_method: 'charge_automatically',
    created: start,
    currency: 'usd',
    customer,
    days_until_due: null,
    default_payment_method: null,
    default_tax_rates: [] as Stripe.TaxRate[],
    ended_at: null,
    items: { object: 'list', data: items, has_more: false },
    latest_invoice: null,
    metadata,
    pause_collection: null,
    status: 'incomplete',
    trial_end: null,
  } as unknown as Stripe.Subscription;
}

interface NewInvoice {
  created: number;
  subscription: Pick<Stripe.Subscription, 'id' | 'customer' | 'metadata'>;
  reason: Stripe.Invoice.BillingReason;
  currency?: string;
  lines: Stripe.InvoiceLineItem[];
}

const finalizesAfterSeconds = 3600;

export function invoice({ created, subscription, reason, lines, currency = 'usd' }: NewInvoice): Stripe.Invoice {
  const id = newId('in');
  for (const line of lines) line.invoice = id;
  return {
    id,
    object: 'invoice',
    amount_due: 0,
    amount_paid: 0,
    amount_remaining: 0,
    attempt_count: 0,
    attempted: false,
    auto_advance: true,
    automatically_finalizes_at: created + finalizesAfterSeconds,
    billing_reason: reason,
    collection_method: 'charge_automatically',
    created,
    currency,
    custom_fields: null,
    customer: subscription.customer,
    default_tax_rates: [] as Stripe.TaxRate[],
    due_date: null,
    ending_balance: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    lines: { object: 'list', data: lines, has_more: false, url: `/v1/invoices/${id}/lines` },
    metadata: {},
    next_payment_attempt: created + finalizesAfterSeconds,
    number: null,
    parent: {
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
      type: 'subscription_details',
    },
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    starting_balance: 0,
    status: 'draft',
    subtotal: 0,
    total: 0,
    total_discount_amounts: [] as Stripe.Invoice.TotalDiscountAmount[],
    total_taxes: [] as Stripe.Invoice.TotalTax[],
  } as Stripe.Invoice;
}

/** A draft without a subscription or lines. */
export function standaloneInvoice(created: number, params: Stripe.InvoiceCreateParams): Stripe.Invoice {
  const subscription = { id: '', customer: params.customer!, metadata: {} };
  return {
    ...invoice({ created, subscription, reason: 'manual', lines: [] }),
    auto_advance: false,
    automatically_finalizes_at: null,
    collection_method: params.collection_method ?? 'charge_automatically',
    due_date: params.days_until_due === undefined ? null : created + Number(params.days_until_due) * 24 * 3600,
    metadata: (params.metadata || {}) as Stripe.Metadata,
    next_payment_attempt: null,
    parent: null,
  };
}

interface Period {
  start: number;
  end: number;
}

/** An invoice item: a quantity of a price of its own, or an amount, which may be negative. */
export function standaloneLine(params: Stripe.InvoiceItemCreateParams, invoiceId: string): Stripe.InvoiceLineItem {
  const period = { start: Number(params.period!.start), end: Number(params.period!.end) };
  const { product, unit_amount = params.amount } = params.price_data ?? {};
  return {
    ...handmadeLine(period, Number(unit_amount), Number(params.quantity ?? 1), product),
    description: params.description ?? null,
    discountable: String(params.discountable ?? params.amount === undefined) === 'true',
    invoice: invoiceId,
    metadata: (params.metadata || {}) as Stripe.Metadata,
    subscription: null,
  };
}

/** An item added in the dashboard, for something outside the subscription. */
export function handmadeLine(period: Period, unit_amount: number, quantity = 1, product = newId('prod')): Stripe.InvoiceLineItem {
  const price = { id: newId('price'), product, unit_amount };
  const parent = { invoice_item_details: { invoice_item: newId('ii'), proration: false }, type: 'invoice_item_details' };
  return {
    ...invoiceLine({ id: '', price, subscription: '' } as Stripe.SubscriptionItem, period, quantity),
    parent: parent as Stripe.InvoiceLineItem.Parent,
  };
}

/** A proration for the rest of a period, positive or negative. @param share of the whole period */
export function prorationLine(item: Stripe.SubscriptionItem, rest: Period, share: number): Stripe.InvoiceLineItem {
  const line = invoiceLine(item, rest, item.quantity!);
  Object.assign(line.parent!.subscription_item_details!, { invoice_item: newId('ii'), proration: true });
  const amount = Math.round(line.amount * share);
  return { ...line, amount, subtotal: amount, discountable: false };
}

export function invoiceLine(
  { id, price, subscription }: Stripe.SubscriptionItem,
  period: Period,
  quantity: number,
): Stripe.InvoiceLineItem {
  const amount = quantity * (price.unit_amount ?? 0);
  return {
    id: newId('il'),
    object: 'line_item',
    amount,
    currency: 'usd',
    description: price.nickname,
    discount_amounts: [] as Stripe.InvoiceLineItem.DiscountAmount[],
    discountable: true,
    invoice: null,
    metadata: {},
    parent: {
      subscription_item_details: { proration: false, subscription, subscription_item: id },
      type: 'subscription_item_details',
    },
    period,
    pricing: { price_details: { price: price.id, product: price.product as string }, type: 'price_details' },
    quantity,
    subscription,
    subtotal: amount,
    taxes: [] as Stripe.InvoiceLineItem.Tax[],
  } as Stripe.InvoiceLineItem;
}

export const charge = (created: number, { amount_due: amount, currency, customer }: Stripe.Invoice): Stripe.Charge =>
  ({
    id: newId('ch'),
    object: 'charge',
    amount,
    amount_refunded: 0,
    created,
    currency,
    customer,
    disputed: false,
    refunded: false,
  }) as Stripe.Charge;

const linesShown = 10;

/** An object as sent: invoices, also nested ones, with their first ten lines; a price's other currencies only if they are expanded. */
export function shown<T>(body: T, isExpanded = false): T {
  if (typeof body !== 'object' || body === null) return body;
  const sent = body as { object?: string; lines?: Stripe.ApiList<Stripe.InvoiceLineItem>; currency_options?: unknown };
  if (sent.object === 'price' && !isExpanded) delete sent.currency_options;
  if (sent.object === 'invoice' && sent.lines) {
    const { data } = sent.lines;
    sent.lines = { ...sent.lines, data: data.slice(0, linesShown), has_more: data.length > linesShown };
  } else for (const within of Object.values(body)) shown(within);
  return body;
}
