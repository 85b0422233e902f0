import type Stripe from 'stripe';
import { invalidRequest } from './fault.js';
import { charge } from './shapes.js';
import { newId, type World } from './world.js';

const daySeconds = 24 * 3600;
/** Stripe's retries of a failed renewal: days after the attempt before. */
export const retryDays = [3, 5, 7];

/** Reckons an invoice: its coupons and taxes, and what is due after the customer's balance. */
export function reckon(world: World, invoice: Stripe.Invoice): Stripe.Invoice {
  const lines = invoice.lines.data;
  for (const line of lines) reduceAndTax(world, invoice, line);
  const off = sumOf(lines.flatMap(({ discount_amounts }) => discount_amounts ?? []));
  const total_taxes = lines.flatMap(({ taxes }) => taxes ?? []);
  const subtotal = sumOf(lines);
  const total = subtotal - off + sumOf(total_taxes);
  const id = invoice.customer as string;
  const starting_balance = world.customers.has(id) ? world.customers.get(id).balance : 0;
  const due = Math.max(0, total + starting_balance);
  return Object.assign(invoice, {
    subtotal,
    total_discount_amounts: off > 0 ? [{ amount: off, discount: 'di_stand_in' }] : [],
    total_taxes: total_taxes as Stripe.Invoice.TotalTax[],
    total,
    starting_balance,
    ending_balance: Math.min(0, total + starting_balance),
    amount_due: due,
    amount_remaining: due,
  } satisfies Partial<Stripe.Invoice>);
}

const sumOf = (parts: { amount: number }[]): number => parts.reduce((sum, { amount }) => sum + amount, 0);

/** Finalizes a draft. */
export function finalizeInvoice(world: World, invoice: Stripe.Invoice): void {
  const id = invoice.customer as string;
  const { ending_balance } = reckon(world, invoice);
  if (world.customers.has(id)) world.customers.get(id).balance = ending_balance!;
  Object.assign(invoice, {
    status: 'open',
    number: invoice.id.slice(-8).toUpperCase(),
    automatically_finalizes_at: null,
    hosted_invoice_url: `https://invoice.stripe.com/i/${invoice.id}`,
    invoice_pdf: `https://pay.stripe.com/invoice/${invoice.id}/pdf`,
  } satisfies Partial<Stripe.Invoice>);
  world.emit('invoice.finalized', invoice);
}

/** One attempt to collect an open invoice; the subscription's status follows. */
export function attemptPayment(world: World, invoice: Stripe.Invoice): void {
  const subscription = world.subscriptions.get(subscriptionIdOf(invoice));
  const collection = world.collections.get(subscription.id)!;
  invoice.attempted = true;
  invoice.attempt_count++;
  if (invoice.amount_due === 0 || collection.isCardGood) {
    settleInvoice(world, invoice);
    return;
  }
  const wait = retryDays[retryDays.length - collection.retriesLeft];
  collection.retriesLeft--;
  invoice.next_payment_attempt = wait === undefined ? null : world.clock.now() + wait * daySeconds;
  world.emit('invoice.payment_failed', invoice);
  // A cancelled subscription owes its last invoice, but has no status left to lose.
  if (subscription.ended_at !== null) return;
  if (wait === undefined && world.dunningEnds === 'canceled') endSubscription(world, subscription, world.clock.now());
  else setStatus(world, subscription, wait === undefined && world.dunningEnds === 'unpaid' ? 'unpaid' : 'past_due');
}

/** Stripe silently stops collecting open invoices. Whether drafts stop too is not documented. */
export function endSubscription(world: World, ending: Stripe.Subscription, at: number): void {
  Object.assign(ending, { status: 'canceled', ended_at: at });
  for (const bill of world.invoices.all()) {
    const isStopped = bill.status === 'open' || (bill.status === 'draft' && world.endingStopsDrafts);
    if (isStopped && bill.parent?.subscription_details?.subscription === ending.id) stopCollecting(bill);
  }
  world.emit('customer.subscription.deleted', ending);
}

export function stopCollecting(bill: Stripe.Invoice): void {
  Object.assign(bill, { auto_advance: false, automatically_finalizes_at: null, next_payment_attempt: null });
}

export function voidInvoice(world: World, bill: Stripe.Invoice): void {
  if (bill.status !== 'open' && bill.status !== 'uncollectible') throw invalidRequest(`You cannot void an invoice that is ${bill.status}.`);
  stopCollecting(Object.assign(bill, { status: 'void' }));
  world.emit('invoice.voided', bill);
}

export function writeOff(world: World, bill: Stripe.Invoice): void {
  if (bill.status !== 'open') throw invalidRequest(`You cannot mark an invoice uncollectible that is ${bill.status}.`);
  stopCollecting(Object.assign(bill, { status: 'uncollectible' }));
  world.emit('invoice.marked_uncollectible', bill);
}

/** Records a payment. */
export function settleInvoice(world: World, invoice: Stripe.Invoice): void {
  const now = world.clock.now();
  if (invoice.amount_due > 0) world.charges.add(charge(now, invoice));
  Object.assign(invoice, {
    status: 'paid',
    amount_paid: invoice.amount_due,
    amount_remaining: 0,
    next_payment_attempt: null,
    auto_advance: false,
  });
  world.emit('invoice.paid', invoice);
  if (!invoice.parent) return;
  const subscription = world.subscriptions.get(subscriptionIdOf(invoice));
  world.collections.get(subscription.id)!.retriesLeft = retryDays.length;
  const owes = world.invoices
    .all()
    .some(({ status, parent }) => status === 'open' && parent?.subscription_details?.subscription === subscription.id);
  // An invoice paid within a trial does not end the trial.
  const isInTrial = (subscription.trial_end ?? 0) > now;
  if (subscription.ended_at === null && !owes) setStatus(world, subscription, isInTrial ? 'trialing' : 'active');
}

/** One attempt to collect an invoice without a subscription, by the card of the customer's last subscription. */
export function attemptAlone(world: World, invoice: Stripe.Invoice): void {
  const last = world.subscriptions.all().findLast(({ customer }) => customer === invoice.customer);
  const isPaid = invoice.amount_due === 0 || (last !== undefined && world.collections.get(last.id)!.isCardGood);
  const wait = retryDays[invoice.attempt_count++];
  Object.assign(invoice, {
    attempted: true,
    next_payment_attempt: isPaid || wait === undefined ? null : world.clock.now() + wait * daySeconds,
  });
  if (isPaid) Object.assign(invoice, { status: 'paid', amount_paid: invoice.amount_due, amount_remaining: 0 });
  world.emit(isPaid ? 'invoice.paid' : 'invoice.payment_failed', invoice);
}

export function refundCharge(world: World, charged: Stripe.Charge, amount: number): void {
  charged.amount_refunded += amount;
  charged.refunded = charged.amount_refunded === charged.amount;
  world.emit('charge.refunded', charged);
}

export function setStatus(world: World, subscription: Stripe.Subscription, status: Stripe.Subscription.Status): void {
  if (subscription.status === status) return;
  subscription.status = status;
  world.emit('customer.subscription.updated', subscription);
}

function subscriptionIdOf(invoice: Stripe.Invoice): string {
  return invoice.parent!.subscription_details!.subscription as string;
}

/** A line's share of the coupons of its subscription and customer, and its own tax rates or else those of its invoice. */
function reduceAndTax(world: World, { customer, parent, default_tax_rates }: Stripe.Invoice, line: Stripe.InvoiceLineItem): void {
  const owners = [customer as string, parent?.subscription_details?.subscription as string | undefined];
  const percent = Math.max(0, ...owners.map((owner) => (owner && world.percentOff.get(owner)) || 0));
  const off = line.discountable ? Math.round((line.amount * percent) / 100) : 0;
  line.discount_amounts = off > 0 ? [{ amount: off, discount: 'di_stand_in' }] : [];
  const rates = world.ratesOfLines.get(line.id) ?? default_tax_rates.map(({ id }) => id);
  const taxable_amount = line.amount - off;
  line.taxes = rates.map((tax_rate) => ({
    amount: Math.round((taxable_amount * world.taxRates.get(tax_rate)!) / 100),
    tax_behavior: 'exclusive',
    tax_rate_details: { tax_rate },
    taxability_reason: 'standard_rated',
    taxable_amount,
    type: 'tax_rate_details',
  }));
}

/** Credits a line of a final invoice in full, as in the dashboard. */
export function creditLine(world: World, bill: Stripe.Invoice, line: Stripe.InvoiceLineItem): void {
  bill.post_payment_credit_notes_amount += line.amount;
  const lines = { data: [{ invoice_line_item: line.id, amount: line.amount }] };
  world.creditNotes.add({ id: newId('cn'), object: 'credit_note', invoice: bill.id, amount: line.amount, lines } as Stripe.CreditNote);
}
