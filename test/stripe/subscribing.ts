import type Stripe from 'stripe';
import { addMonths, nextBoundary } from './calendar.js';
import {
  attemptPayment,
  endSubscription,
  finalizeInvoice,
  reckon,
  retryDays,
  setStatus,
  settleInvoice,
  stopCollecting,
} from './collecting.js';
import { invalidRequest, StripeFault } from './fault.js';
import type { Params } from './routes.js';
import { handmadeLine, invoice, invoiceLine, prorationLine, standaloneInvoice, standaloneLine, subscription } from './shapes.js';
import type { World } from './world.js';

/** How a customer pays at checkout: at once, by a bank debit that takes days, or not at all. */
export type CheckoutPayment = 'card' | 'bank-debit';

/** The customer completes the checkout page. */
export function completeCheckout(world: World, sessionId: string, payment: CheckoutPayment = 'card'): Stripe.Subscription {
  const session = world.sessions.get(sessionId);
  if (session.status !== 'open') throw new Error(`checkout ${sessionId} is ${session.status}`);
  const { prices, metadata } = world.sessionItems.get(sessionId)!;
  const currency = session.currency ?? world.presentmentCurrency;
  const { created, first } = begin(world, session.customer as string, prices, metadata, currency);
  created.automatic_tax.enabled = session.automatic_tax.enabled;
  Object.assign(session, {
    status: 'complete',
    subscription: created.id,
    invoice: first.id,
    url: null,
    payment_status: payment === 'card' ? 'paid' : 'unpaid',
  } satisfies Partial<Stripe.Checkout.Session>);
  if (payment === 'card') {
    attemptPayment(world, first);
  } else {
    // Stripe trusts a running debit: the subscription is active before it is paid.
    created.status = 'active';
    world.emit('customer.subscription.updated', created);
  }
  world.emit('checkout.session.completed', session);
  return created;
}

/** Creates a subscription as in the dashboard, and charges the card at once. */
export function subscribeByHand(world: World, customer: string, prices: Stripe.Price[], currency = 'usd'): Stripe.Subscription {
  const { created, first } = begin(world, customer, prices, {}, currency);
  attemptPayment(world, first);
  return created;
}

/** Creates a subscription as in the dashboard, whose invoices are sent to the customer, who pays them later or never. */
export function subscribeOnAccount(world: World, customer: string, prices: Stripe.Price[]): Stripe.Subscription {
  const { created, first } = begin(world, customer, prices, {});
  for (const one of [created, first]) one.collection_method = 'send_invoice';
  created.days_until_due = 30;
  setStatus(world, created, 'active');
  return created;
}

/** Adds a paid invoice for something else to a subscription. */
export function billByHand(world: World, subscription: Stripe.Subscription, amount: number): void {
  const line = { ...invoiceLine(subscription.items.data[0]!, periodOf(subscription), 0), amount };
  const bill = openInvoice(world, subscription, 'manual', [line]);
  finalizeInvoice(world, bill);
  settleInvoice(world, bill);
}

function begin(world: World, customer: string, prices: Stripe.Price[], metadata: Stripe.Metadata, wanted = 'usd') {
  const now = world.clock.now();
  const currency = prices.every(({ currency_options }) => currency_options?.[wanted]) ? wanted : 'usd';
  const created = world.subscriptions.add(subscription({ customer, prices, start: now, periodEnd: addMonths(now, 1), metadata }));
  created.currency = currency;
  world.collections.set(created.id, { isCardGood: true, retriesLeft: retryDays.length });
  world.emit('customer.subscription.created', created);
  const first = openInvoice(world, created, 'subscription_create', licensedLines(created));
  finalizeInvoice(world, first);
  return { created, first };
}

/** The bank's answer to a debit, days later. */
export function settleBankDebit(world: World, sessionId: string, didPay: boolean): void {
  const session = world.sessions.get(sessionId);
  const first = world.invoices.get(session.invoice as string);
  world.collections.get(session.subscription as string)!.isCardGood = didPay;
  if (didPay) session.payment_status = 'paid';
  attemptPayment(world, first);
  world.emit(didPay ? 'checkout.session.async_payment_succeeded' : 'checkout.session.async_payment_failed', session);
}

/** The end of a period: the next begins, or a canceled subscription ends. */
export function endPeriod(world: World, ending: Stripe.Subscription): void {
  const period = { ...periodOf(ending) };
  if (ending.cancel_at_period_end || (ending.cancel_at !== null && ending.cancel_at <= period.end)) {
    endSubscription(world, ending, period.end);
    if (world.pendingLines.has(ending.id)) openInvoice(world, ending, 'subscription_cycle', []);
    return;
  }
  if (ending.status === 'trialing') setStatus(world, ending, 'active');
  for (const item of ending.items.data) {
    item.current_period_start = period.end;
    item.current_period_end = nextBoundary(ending.billing_cycle_anchor, period.end, monthsOf(item));
  }
  const renewal = openInvoice(world, ending, 'subscription_cycle', licensedLines(ending));
  // No new charge after collection of the last invoice was abandoned.
  if (ending.status === 'unpaid' || ending.pause_collection?.behavior === 'keep_as_draft') stopCollecting(renewal);
  world.emit('customer.subscription.updated', ending);
}

/** Restarts the billing cycle, as in the dashboard: the new period is billed at once. */
export function moveBillingCycle(world: World, moved: Stripe.Subscription): void {
  const now = world.clock.now();
  moved.billing_cycle_anchor = now;
  for (const item of moved.items.data) {
    Object.assign(item, { current_period_start: now, current_period_end: addMonths(now, monthsOf(item)) });
  }
  const bill = openInvoice(world, moved, 'subscription_update', licensedLines(moved));
  finalizeAndCollect(world, bill);
  world.emit('customer.subscription.updated', moved);
}

/** Gives a running subscription a trial, as in the dashboard: a free period with an invoice of zero at once. */
export function setTrialEnd(world: World, changed: Stripe.Subscription, at: Date): void {
  const [now, trialEnd] = [world.clock.now(), at.getTime() / 1000];
  Object.assign(changed, { trial_start: now, trial_end: trialEnd, billing_cycle_anchor: trialEnd, status: 'trialing' });
  for (const item of changed.items.data) Object.assign(item, { current_period_start: now, current_period_end: trialEnd });
  const lines = licensedLines(changed).map((line) => ({ ...line, amount: 0, subtotal: 0 }));
  finalizeAndCollect(world, openInvoice(world, changed, 'subscription_update', lines));
  changed.status = 'trialing';
  world.emit('customer.subscription.updated', changed);
}

/** A billing threshold is reached: an invoice that is final at once. @param doesResetCycle whether a new period begins */
export function billAtThreshold(world: World, of: Stripe.Subscription, doesResetCycle: boolean): void {
  if (doesResetCycle) {
    moveBillingCycle(world, of);
    return;
  }
  const now = world.clock.now();
  const line = { ...invoiceLine(of.items.data[0]!, { start: now, end: now }, 1), amount: 100, subtotal: 100 };
  finalizeAndCollect(world, openInvoice(world, of, 'subscription_threshold', [line]));
}

/** Replaces or removes its prices. */
export function replacePrices(world: World, changed: Stripe.Subscription, prices: Stripe.Price[]): void {
  const period = periodOf(changed);
  const { items } = subscription({ customer: '', prices, start: period.start, periodEnd: period.end, metadata: {} });
  changed.items.data = items.data.map((item) => ({ ...item, subscription: changed.id }));
  world.emit('customer.subscription.updated', changed);
}

/** Finalizes a draft, as in the dashboard. */
export function finalizeAndCollect(world: World, bill: Stripe.Invoice): void {
  finalizeInvoice(world, bill);
  if (bill.collection_method === 'charge_automatically') attemptPayment(world, bill);
}

/** Changes the quantity, as in the dashboard: the rest of the period is prorated on the next invoice. */
export function changeQuantity(world: World, changed: Stripe.Subscription, quantity: number): void {
  const [item] = changed.items.data;
  const { start, end } = periodOf(changed);
  const rest = { start: world.clock.now(), end };
  const share = (end - rest.start) / (end - start);
  const unused = prorationLine(item!, rest, -share);
  item!.quantity = quantity;
  putAside(world, changed, unused, prorationLine(item!, rest, share));
  world.emit('customer.subscription.updated', changed);
}

/** Adds another item to its next invoice, as in the dashboard. */
export function billWithNext(world: World, subscription: Stripe.Subscription, amount: number): void {
  putAside(world, subscription, handmadeLine({ start: world.clock.now(), end: world.clock.now() }, amount));
}

function putAside(world: World, { id }: Stripe.Subscription, ...lines: Stripe.InvoiceLineItem[]): void {
  world.pendingLines.set(id, [...(world.pendingLines.get(id) ?? []), ...lines]);
}

/** Sets or undoes cancellation at the period's end. */
export function setCancelAtPeriodEnd(world: World, subscription: Stripe.Subscription, isCancelled = true): void {
  subscription.cancel_at_period_end = isCancelled;
  world.emit('customer.subscription.updated', subscription);
}

/** Ends it now; bills what waits for its next invoice only if asked to. */
export function cancelNow(world: World, ending: Stripe.Subscription, isInvoiced = false): void {
  endSubscription(world, ending, world.clock.now());
  if (isInvoiced && world.pendingLines.has(ending.id)) openInvoice(world, ending, 'subscription_cycle', []);
}

/** Ends the customer's subscriptions at once, without a final invoice. */
export function deleteCustomer(world: World, id: string): void {
  const gone = world.customers.get(id);
  for (const one of world.subscriptions.all()) if (one.customer === id && one.ended_at === null) cancelNow(world, one);
  world.customers.remove(id);
  world.deletedCustomers.add(id);
  world.emit('customer.deleted', gone);
}

/** The customer pays an open invoice with another card. */
export function payInvoice(world: World, open: Stripe.Invoice): void {
  if (open.status !== 'open') throw new Error(`invoice ${open.id} is ${open.status}`);
  settleInvoice(world, open);
}

export function periodOf(of: Stripe.Subscription): { start: number; end: number } {
  const [item] = of.items.data;
  return { start: item!.current_period_start, end: item!.current_period_end };
}

const monthsOf = ({ price }: Stripe.SubscriptionItem): number => (price.recurring?.interval === 'year' ? 12 : 1);

function openInvoice(
  world: World,
  of: Stripe.Subscription,
  reason: Stripe.Invoice.BillingReason,
  lines: Stripe.InvoiceLineItem[],
): Stripe.Invoice {
  const draft = world.invoices.add(draftOf(world, of, reason, lines));
  world.pendingLines.delete(of.id);
  of.latest_invoice = draft.id;
  world.emit('invoice.created', draft);
  return draft;
}

function draftOf(world: World, of: Stripe.Subscription, reason: Stripe.Invoice.BillingReason, licensed: Stripe.InvoiceLineItem[]) {
  const lines = [...(world.pendingLines.get(of.id) ?? []).reverse(), ...licensed];
  const draft = invoice({ created: world.clock.now(), subscription: of, reason, lines, currency: of.currency });
  draft.collection_method = of.collection_method;
  draft.default_tax_rates = of.default_tax_rates ?? [];
  const customer = of.customer as string;
  if (world.customers.has(customer)) draft.custom_fields = world.customers.get(customer).invoice_settings.custom_fields;
  return draft;
}

/** The invoice of a subscription's next period, or of some items alone, as it would be. It is not stored. */
export function previewInvoice(world: World, { customer, subscription: id, invoice_items }: Params): Stripe.Invoice {
  const items: Stripe.InvoiceItemCreateParams[] = Object.values(invoice_items ?? {});
  if (!id && items.length === 0) throw invalidRequest('You must provide at least one of: `subscription`, `invoice_items`.');
  const of = id && world.subscriptions.get(id, 'subscription');
  if (of && (of.ended_at !== null || of.cancel_at_period_end || of.cancel_at !== null)) {
    throw new StripeFault(404, { type: 'invalid_request_error', code: 'invoice_upcoming_none', message: `No upcoming invoices: ${id}` });
  }
  const { end } = of ? periodOf(of) : { end: 0 };
  const next = { start: end, end: of && nextBoundary(of.billing_cycle_anchor, end, monthsOf(of.items.data[0])) };
  const preview = structuredClone(
    of ? draftOf(world, of, 'upcoming', licensedLines(of, next)) : standaloneInvoice(world.clock.now(), { customer }),
  );
  preview.lines.data.push(...items.map((item) => placeLine(world, item, preview.id)));
  return Object.assign(reckon(world, preview), { id: `upcoming_${preview.id}` });
}

/** A line of an invoice item, with its own tax rates if it has some. */
export function placeLine(world: World, params: Stripe.InvoiceItemCreateParams, invoiceId: string): Stripe.InvoiceLineItem {
  const line = standaloneLine(params, invoiceId);
  if (params.tax_rates) world.ratesOfLines.set(line.id, Object.values(params.tax_rates));
  return line;
}

const licensedLines = (of: Stripe.Subscription, period = periodOf(of)) =>
  of.items.data.map((item) => {
    const line = invoiceLine(item, period, item.quantity!);
    const other = item.price.currency_options?.[of.currency]?.unit_amount;
    return other ? { ...line, amount: other, subtotal: other, currency: of.currency } : line;
  });
