import type Stripe from 'stripe';
import { newId } from '../world.js';
import { decimalText } from './catalogue.js';

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
    account_country: 'US',
    account_name: 'Stand-in',
    account_tax_ids: null,
    amount_due: 0,
    amount_overpaid: 0,
    amount_paid: 0,
    amount_remaining: 0,
    amount_shipping: 0,
    application: null,
    attempt_count: 0,
    attempted: false,
    auto_advance: true,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    automatically_finalizes_at: created + finalizesAfterSeconds,
    billing_reason: reason,
    collection_method: 'charge_automatically',
    created,
    currency,
    custom_fields: null,
    customer: subscription.customer,
    customer_account: null,
    customer_address: null,
    customer_email: null,
    customer_name: null,
    customer_phone: null,
    customer_shipping: null,
    customer_tax_exempt: 'none',
    customer_tax_ids: [],
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    due_date: null,
    effective_at: null,
    ending_balance: null,
    footer: null,
    from_invoice: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    issuer: { type: 'self' },
    last_finalization_error: null,
    latest_revision: null,
    lines: { object: 'list', data: lines, has_more: false, url: `/v1/invoices/${id}/lines` },
    livemode: false,
    metadata: {},
    next_payment_attempt: created + finalizesAfterSeconds,
    number: null,
    on_behalf_of: null,
    parent: {
      quote_details: null,
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
      type: 'subscription_details',
    },
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: created,
    period_start: created,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance: 0,
    statement_descriptor: null,
    status: 'draft',
    status_transitions: { finalized_at: null, marked_uncollectible_at: null, paid_at: null, voided_at: null },
    subtotal: 0,
    subtotal_excluding_tax: 0,
    test_clock: null,
    total: 0,
    total_discount_amounts: [],
    total_excluding_tax: 0,
    total_pretax_credit_amounts: [],
    total_taxes: [],
    webhooks_delivered_at: null,
  };
}

/** A draft without a subscription or lines. */
export function standaloneInvoice(created: number, params: Stripe.InvoiceCreateParams): Stripe.Invoice {
  const subscription = { id: '', customer: params.customer!, metadata: {} };
  return {
    ...invoice({ created, subscription, reason: 'manual', lines: [] }),
    auto_advance: false,
    automatic_tax: {
      disabled_reason: null,
      enabled: String(params.automatic_tax?.enabled) === 'true',
      liability: null,
      provider: null,
      status: null,
    },
    automatically_finalizes_at: null,
    collection_method: params.collection_method ?? 'charge_automatically',
    due_date: params.days_until_due === undefined ? null : created + Number(params.days_until_due) * 24 * 3600,
    metadata: (params.metadata || {}) as Stripe.Metadata,
    next_payment_attempt: null,
    parent: null,
  };
}

/** An invoice item: a quantity of a price of its own, or an amount, which may be negative. */
export function standaloneLine(params: Stripe.InvoiceItemCreateParams, invoiceId: string): Stripe.InvoiceLineItem {
  const period = { start: Number(params.period!.start), end: Number(params.period!.end) };
  const { product = newId('prod'), unit_amount = params.amount } = params.price_data ?? {};
  const price = { id: newId('price'), product, unit_amount: Number(unit_amount), unit_amount_decimal: decimalText(Number(unit_amount)) };
  const line = invoiceLine({ id: '', price, subscription: '' } as Stripe.SubscriptionItem, period, Number(params.quantity ?? 1));
  const metadata = (params.metadata || {}) as Stripe.Metadata;
  const discountable = String(params.discountable ?? params.amount === undefined) === 'true';
  return {
    ...line,
    description: params.description ?? null,
    discountable,
    invoice: invoiceId,
    metadata,
    parent: byHand(),
    subscription: null,
  };
}

/** An item added in the dashboard, for something outside the subscription. */
export function handmadeLine(at: number, amount: number): Stripe.InvoiceLineItem {
  const price = { id: newId('price'), product: newId('prod'), unit_amount: amount, unit_amount_decimal: decimalText(amount) };
  const line = invoiceLine({ id: '', price, subscription: '' } as Stripe.SubscriptionItem, { start: at, end: at }, 1);
  return { ...line, parent: byHand() };
}

const byHand = (): Stripe.InvoiceLineItem.Parent => ({
  invoice_item_details: { invoice_item: newId('ii'), proration: false, proration_details: null, subscription: null },
  subscription_item_details: null,
  type: 'invoice_item_details',
});

/** A proration for the rest of a period, positive or negative. @param share of the whole period */
export function prorationLine(item: Stripe.SubscriptionItem, rest: { start: number; end: number }, share: number): Stripe.InvoiceLineItem {
  const line = invoiceLine(item, rest, item.quantity!);
  Object.assign(line.parent!.subscription_item_details!, { invoice_item: newId('ii'), proration: true });
  const amount = Math.round(line.amount * share);
  return { ...line, amount, subtotal: amount, discountable: false };
}

export function invoiceLine(
  item: Stripe.SubscriptionItem,
  period: { start: number; end: number },
  quantity: number,
): Stripe.InvoiceLineItem {
  const amount = quantity * (item.price.unit_amount ?? 0);
  return {
    id: newId('il'),
    object: 'line_item',
    amount,
    currency: 'usd',
    description: item.price.nickname,
    discount_amounts: [],
    discountable: true,
    discounts: [],
    invoice: null,
    livemode: false,
    metadata: {},
    parent: {
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration: false,
        proration_details: null,
        subscription: item.subscription,
        subscription_item: item.id,
      },
      type: 'subscription_item_details',
    },
    period,
    pretax_credit_amounts: [],
    pricing: {
      price_details: { price: item.price.id, product: item.price.product as string },
      type: 'price_details',
      unit_amount_decimal: item.price.unit_amount_decimal,
    },
    quantity,
    quantity_decimal: null,
    subscription: item.subscription,
    subtotal: amount,
    taxes: [],
  };
}
