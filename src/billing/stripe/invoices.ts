import type Stripe from 'stripe';
import { orMissing } from './stripe-client.js';
import { idOf } from './stripe-id.js';

/** Whether a bill is one of our own, which we make for overage that no bill of a subscription is to have any more. */
export const isOverageInvoice = ({ metadata }: Stripe.Invoice): boolean => metadata?.overage_bill !== undefined;

/** The subscription that a bill belongs to; null for one that was made by hand. A bill of our own names the one whose overage it has. */
export function subscriptionOf({ parent, metadata }: Stripe.Invoice): string | null {
  const subscription = parent?.subscription_details?.subscription ?? metadata?.overage_of;
  return subscription ? idOf(subscription) : null;
}

/** Our own bills that wait for their payment. */
export async function openOverageInvoices(stripe: Stripe, customer: string): Promise<Stripe.Invoice[]> {
  const open = await orMissing(stripe.invoices.list({ customer, status: 'open', limit: 100 }));
  return (open?.data ?? []).filter(isOverageInvoice);
}

/** Whether Stripe no longer tries to collect an open bill. */
export const isCollectionAbandoned = (bill: Stripe.Invoice): boolean =>
  bill.status === 'open' && bill.collection_method === 'charge_automatically' && bill.attempted && bill.next_payment_attempt === null;
