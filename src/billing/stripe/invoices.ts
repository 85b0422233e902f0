import type Stripe from 'stripe';
import { idOf, orMissing } from './stripe-client.js';

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

export async function openOverageInvoices(stripe: Stripe, customer: string): Promise<Stripe.Invoice[]> {
  const open = await orMissing(stripe.invoices.list({ customer, status: 'open', limit: 100 }));
  return (open?.data ?? []).filter(isOverageInvoice);
}

/** Whether Stripe no longer tries to collect an open invoice. */
export const isCollectionAbandoned = (invoice: Stripe.Invoice): boolean =>
  invoice.status === 'open' &&
  invoice.collection_method === 'charge_automatically' &&
  invoice.attempted &&
  invoice.next_payment_attempt === null;

/** Whether a line charges or returns part of a period after a change of plan, rather than the plan's price. */
export const isProration = ({ parent }: Stripe.InvoiceLineItem): boolean =>
  (parent?.subscription_item_details ?? parent?.invoice_item_details)?.proration === true;
