import type Stripe from 'stripe';

const linesShown = 10;

/** An object as sent: invoices, also nested ones, with their first ten lines. The others have a list of their own. */
export function shown<T>(body: T, isExpanded = false): T {
  if (typeof body !== 'object' || body === null) return body;
  // A price's other currencies are sent only if expanded.
  if (isPrice(body) && !isExpanded) delete body.currency_options;
  if (isInvoice(body)) body.lines = firstOf(body.lines);
  else for (const within of Object.values(body)) shown(within);
  return body;
}

const isPrice = (body: object): body is Stripe.Price => (body as Stripe.Price).object === 'price';

const isInvoice = (body: object): body is Stripe.Invoice => (body as Stripe.Invoice).object === 'invoice' && 'lines' in body;

function firstOf(lines: Stripe.ApiList<Stripe.InvoiceLineItem>): Stripe.ApiList<Stripe.InvoiceLineItem> {
  return { ...lines, data: lines.data.slice(0, linesShown), has_more: lines.data.length > linesShown };
}
