import type Stripe from 'stripe';

/** A bill with all of its lines: Stripe tells the first ten with it, and what people put on it in the dashboard comes before what we sell. */
export async function withAllLines(stripe: Stripe, bill: Stripe.Invoice): Promise<Stripe.Invoice> {
  if (!bill.lines.has_more) return bill;
  const data: Stripe.InvoiceLineItem[] = [];
  for await (const line of stripe.invoices.listLineItems(bill.id, { limit: 100 })) data.push(line);
  return { ...bill, lines: { ...bill.lines, data, has_more: false } };
}

export const withAllLinesOf = (stripe: Stripe, bills: Stripe.Invoice[]): Promise<Stripe.Invoice[]> =>
  Promise.all(bills.map((bill) => withAllLines(stripe, bill)));
