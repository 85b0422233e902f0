import type { Pool } from 'pg';
import type Stripe from 'stripe';
import { withAllLines } from '../stripe/invoices.js';
import { orMissing } from '../stripe/stripe-client.js';
import { itemsOf, type OverageDue } from './overage-item.store.js';

type BilledItem = Awaited<ReturnType<typeof itemsOf>>[number];

/**
 * How many records of what is to be given back were never paid: their bill is void, written off or credited, so there is nothing to give back.
 * What was paid counts for the reads that stay.
 */
export async function neverPaid(stripe: Stripe, pool: Pool, due: OverageDue): Promise<number> {
  const items = await itemsOf(pool, due);
  const staying = items.reduce((sum, { records }) => sum + records, due.records);
  let paid = 0;
  for (const item of items) if (!item.isForgiven) paid += item.records - (await forgivenOf(stripe, item));
  return -due.records - Math.min(-due.records, Math.max(0, paid - staying));
}

/** How many of an item's records the Stripe account's owner has forgiven. */
async function forgivenOf(stripe: Stripe, { id, records, unitCents, invoiceId }: BilledItem): Promise<number> {
  if (records < 0 || !invoiceId) return 0;
  const bill = await orMissing(stripe.invoices.retrieve(invoiceId));
  if (!bill || bill.status === 'void' || bill.status === 'uncollectible') return records;
  const creditedCents = bill.post_payment_credit_notes_amount + bill.pre_payment_credit_notes_amount;
  if (creditedCents === 0) return 0;
  if (creditedCents >= bill.total) return records;
  const { lines } = await withAllLines(stripe, bill);
  const line = lines.data.find(({ metadata }) => metadata?.overage_item === id);
  const notes = await stripe.creditNotes.list({ invoice: invoiceId, limit: 100 });
  const ofLine = notes.data.flatMap((note) => note.lines.data).filter(({ invoice_line_item }) => invoice_line_item === line?.id);
  return Math.min(records, Math.floor(ofLine.reduce((sum, { amount }) => sum + amount, 0) / unitCents));
}
