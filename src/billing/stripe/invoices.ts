import type Stripe from 'stripe';
import { overageProductId, planPriceParams, planProductId } from './catalogue.js';
import { idOf, orMissing } from './stripe-client.js';

const daySeconds = 24 * 3600;

/** Fetches all lines: Stripe sends the first ten with an invoice, and lines added in the dashboard come before the plan's. */
export async function withAllLines(stripe: Stripe, invoice: Stripe.Invoice): Promise<Stripe.Invoice> {
  if (!invoice.lines.has_more) return invoice;
  const data = await stripe.invoices.listLineItems(invoice.id, { limit: 100 }).autoPagingToArray({ limit: 10_000 });
  return { ...invoice, lines: { ...invoice.lines, data, has_more: false } };
}

/** Whether it is one of our overage invoices, for overage that no subscription's invoice can take. */
export const isOverageInvoice = ({ metadata }: Stripe.Invoice): boolean => metadata?.overage_bill !== undefined;

/** The subscription of an invoice, or the one whose overage it has; null for an invoice made by hand. */
export function subscriptionOf({ parent, metadata }: Stripe.Invoice): string | null {
  const subscription = parent?.subscription_details?.subscription ?? metadata?.overage_of;
  return subscription ? idOf(subscription) : null;
}

/** A customer's open invoices for the plan or its overage. The Stripe account may sell other things. */
export async function openInvoices(stripe: Stripe, customer: string): Promise<Stripe.Invoice[]> {
  const open = await orMissing(stripe.invoices.list({ customer, status: 'open', limit: 100 }));
  const invoices = await Promise.all((open?.data ?? []).map((one) => withAllLines(stripe, one)));
  return invoices.filter((one) => isOverageInvoice(one) || one.lines.data.some(isOurs));
}

const isOurs = ({ pricing }: Stripe.InvoiceLineItem): boolean =>
  [planProductId, overageProductId].includes(pricing?.price_details?.product ?? '');

/** Whether a line is the plan's price for a whole period. */
export const isOfPlan = (line: Stripe.InvoiceLineItem): boolean =>
  line.pricing?.price_details?.product === planProductId && !isProration(line);

/** Whether a draft is within its own hour, so that what is put on it now is billed with it. */
export const isInItsHour = (invoice: Stripe.Invoice, nowSeconds: number): boolean =>
  invoice.status === 'draft' &&
  invoice.auto_advance === true &&
  invoice.currency === planPriceParams.currency &&
  (invoice.automatically_finalizes_at ?? 0) > nowSeconds;

/** Whether Stripe will not finalize a draft any more: its subscription has ended or is paused, or its taxes cannot be computed. */
export const isStuck = ({ auto_advance, automatically_finalizes_at: at }: Stripe.Invoice, nowSeconds: number): boolean =>
  auto_advance !== true || at === null || at < nowSeconds - daySeconds;

/** Whether Stripe no longer tries to collect an open invoice. */
export const isCollectionAbandoned = (invoice: Stripe.Invoice): boolean =>
  invoice.status === 'open' &&
  invoice.collection_method === 'charge_automatically' &&
  invoice.attempted &&
  invoice.next_payment_attempt === null;

/** Whether a line charges or returns part of a period after a change of plan, rather than the plan's price. */
export const isProration = ({ parent }: Stripe.InvoiceLineItem): boolean =>
  (parent?.subscription_item_details ?? parent?.invoice_item_details)?.proration === true;
