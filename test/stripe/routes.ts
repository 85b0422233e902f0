import type Stripe from 'stripe';
import { attemptAlone, attemptPayment, finalizeInvoice, stopCollecting } from './collecting.js';
import { invalidRequest, missing } from './fault.js';
import { expireSession, passTime } from './passing-time.js';
import { checkoutSession, customer, price, product, standaloneInvoice } from './shapes.js';
import { cancelNow, placeLine, previewInvoice, setCancelAtPeriodEnd, subscribeByHand } from './subscribing.js';
import { newId, type Shelf, type World } from './world.js';

/** Parameters as received: text and nested objects of text, whatever the SDK's types say. */
// biome-ignore lint/suspicious/noExplicitAny: each route reads them by the SDK's own parameter types
export type Params = any;

/** The handlers of calls such as `GET /v1/invoices/:id`. */
export type Routes = Record<string, (params: Params, id: string) => unknown>;

const mostLines = 250;
const farthestSeconds = 5 * 365 * 24 * 3600;
const eventsKeptSeconds = 30 * 24 * 3600;

/** The calls of Stripe's API that the service and its tests make. The SDK's types check their parameters. */
export function routes(world: World, payBase: () => string): Routes {
  const now = () => world.clock.now();
  const oneOf =
    <T extends { id: string }>(shelf: Shelf<T>) =>
    (_: Params, id: string) =>
      shelf.get(id);
  /** Lists the objects that match the parameters of these names. */
  const listOf =
    <T extends { id: string }>(shelf: Shelf<T>, names: string[], isListed: (one: T, params: Params) => boolean = () => true) =>
    (params: Params) =>
      apiList(
        shelf.all().filter((one) => names.every((name) => isAsAsked(one, name, params[name])) && isListed(one, params)),
        params,
      );
  const draft = (id: string, param = 'id') => {
    const found = world.invoices.get(id, param);
    if (found.status !== 'draft') throw invalidRequest(`This invoice is ${found.status}, and can no longer be changed.`, { param });
    return found;
  };
  const pricesOf = (lines: { price: string }[]) => lines.map((line) => world.prices.get(line.price, 'price'));
  return {
    'POST /v1/products': (params) => {
      if (world.products.has(params.id)) {
        throw invalidRequest(`Product already exists: ${params.id}`, { code: 'resource_already_exists', param: 'id' });
      }
      return world.products.add(product(now(), params));
    },
    'GET /v1/products/:id': oneOf(world.products),
    'POST /v1/prices': (params) => {
      world.products.get(params.product, 'product');
      const { lookup_key } = params;
      if (lookup_key && world.prices.all().some((one) => one.lookup_key === lookup_key && one.active)) {
        throw invalidRequest(`A price with lookup key ${lookup_key} exists already.`, { param: 'lookup_key' });
      }
      return world.prices.add(price(now(), params));
    },
    'GET /v1/prices/:id': oneOf(world.prices),
    'GET /v1/prices': listOf(world.prices, [], ({ lookup_key }, { lookup_keys }) => !lookup_keys || lookup_keys.includes(lookup_key)),

    'POST /v1/customers': (params) => world.customers.add(customer(now(), params)),
    // Stripe still returns this much of a deleted customer.
    'GET /v1/customers/:id': (_, id) =>
      world.deletedCustomers.has(id) ? { id, object: 'customer', deleted: true } : world.customers.get(id),
    'GET /v1/customers': listOf(world.customers, ['email']),
    'POST /v1/customers/:id': ({ invoice_settings, ...plain }, id) => {
      const updated = Object.assign(world.customers.get(id), plain);
      const fields = customFields(invoice_settings?.custom_fields);
      if (fields !== undefined) updated.invoice_settings.custom_fields = fields;
      return updated;
    },
    'POST /v1/customers/:id/balance_transactions': (params, id) => moveBalance(world, id, params),
    'GET /v1/customers/:id/balance_transactions': (params, id) => {
      world.customers.get(id);
      return listOf(world.balanceTransactions, ['customer'])({ ...params, customer: id });
    },

    'POST /v1/checkout/sessions': (params) => {
      world.customers.get(params.customer, 'customer');
      const session = world.sessions.add(checkoutSession(now(), payBase(), params));
      world.sessionItems.set(session.id, { prices: pricesOf(params.line_items), metadata: params.subscription_data?.metadata ?? {} });
      return session;
    },
    'GET /v1/checkout/sessions/:id': oneOf(world.sessions),
    'GET /v1/checkout/sessions': listOf(world.sessions, ['customer', 'status']),
    'POST /v1/checkout/sessions/:id/expire': (_, id) => {
      const session = world.sessions.get(id);
      if (session.status !== 'open') throw invalidRequest('Only Checkout Sessions with a status in ["open"] can be expired.');
      expireSession(world, session);
      return session;
    },

    'POST /v1/billing_portal/configurations': ({ features, metadata }) => {
      const { subscription_cancel, ...others } = features;
      const isOn = (feature: { enabled: unknown } | undefined) => ({ enabled: flag(feature?.enabled) === true });
      return world.portalConfigurations.add({
        id: newId('bpc'),
        object: 'billing_portal.configuration',
        active: true,
        features: {
          subscription_cancel: { ...isOn(subscription_cancel), mode: subscription_cancel.mode },
          payment_method_update: isOn(others.payment_method_update),
          invoice_history: isOn(others.invoice_history),
        },
        metadata,
      } as Stripe.BillingPortal.Configuration);
    },
    'GET /v1/billing_portal/configurations': listOf(world.portalConfigurations, ['active']),
    'POST /v1/billing_portal/sessions': ({ customer: id, configuration }) => {
      world.customers.get(id, 'customer');
      if (!configuration) throw invalidRequest('No configuration provided and your test mode default configuration has not been created.');
      world.portalConfigurations.get(configuration, 'configuration');
      return { id: newId('bps'), object: 'billing_portal.session', url: `${payBase()}/portal/${id}` };
    },

    'GET /v1/subscriptions/:id': oneOf(world.subscriptions),
    'POST /v1/subscriptions': (params) => {
      world.customers.get(params.customer, 'customer');
      return subscribeByHand(world, params.customer, pricesOf(params.items));
    },
    'GET /v1/subscriptions': listOf(
      world.subscriptions,
      ['customer'],
      (one, { status }) => status === 'all' || (status ? one.status === status : one.status !== 'canceled'),
    ),
    'POST /v1/subscriptions/:id': ({ cancel_at_period_end }, id) => {
      const changed = world.subscriptions.get(id);
      setCancelAtPeriodEnd(world, changed, flag(cancel_at_period_end) === true);
      return changed;
    },
    'DELETE /v1/subscriptions/:id': ({ invoice_now }, id) => {
      const ended = world.subscriptions.get(id);
      if (ended.status === 'canceled') throw missing('subscription', id);
      cancelNow(world, ended, flag(invoice_now) ?? false);
      return ended;
    },

    'GET /v1/invoices/:id': oneOf(world.invoices),
    // In their order on the invoice.
    'GET /v1/invoices/:id/lines': (params, id) => apiList([...world.invoices.get(id).lines.data].reverse(), params),
    'GET /v1/invoices': listOf(
      world.invoices,
      ['customer', 'status'],
      ({ parent }, { subscription }) => !subscription || parent?.subscription_details?.subscription === subscription,
    ),
    'POST /v1/invoices': (params: Stripe.InvoiceCreateParams) => {
      const of = world.customers.get(params.customer!, 'customer');
      if ((params.collection_method === 'send_invoice') !== (params.days_until_due !== undefined)) {
        throw invalidRequest('A bill that is sent, and no other, says by when it is due.', { param: 'days_until_due' });
      }
      return world.invoices.add({ ...standaloneInvoice(now(), params), custom_fields: of.invoice_settings.custom_fields });
    },
    'POST /v1/invoices/create_preview': (params) => previewInvoice(world, params),
    'POST /v1/invoices/:id': (params, id) => updateInvoice(draft(id), params, now()),
    'DELETE /v1/invoices/:id': (_, id) => {
      if (draft(id).parent) throw invalidRequest("You can't delete invoices created by subscriptions.");
      world.invoices.remove(id);
      return { id, object: 'invoice', deleted: true };
    },
    'POST /v1/invoices/:id/finalize': (params, id) => {
      const bill = draft(id);
      finalizeInvoice(world, bill);
      bill.auto_advance = flag(params.auto_advance) ?? bill.auto_advance;
      if (bill.auto_advance && bill.collection_method === 'charge_automatically') {
        (bill.parent ? attemptPayment : attemptAlone)(world, bill);
      }
      return bill;
    },
    'POST /v1/invoiceitems': (params: Stripe.InvoiceItemCreateParams) => {
      const bill = draft(params.invoice!, 'invoice');
      const currency = params.currency ?? params.price_data?.currency;
      if (bill.currency !== currency) throw invalidRequest(`The currency of the invoice is ${bill.currency}.`, { param: 'currency' });
      if (bill.lines.data.length >= mostLines) throw invalidRequest(`An invoice has at most ${mostLines} items.`, { param: 'invoice' });
      const line = placeLine(world, params, bill.id);
      bill.lines.data.push(line);
      return { ...line, id: line.parent!.invoice_item_details!.invoice_item, object: 'invoiceitem' };
    },
    'DELETE /v1/invoiceitems/:id': (_, id) => {
      const isItem = ({ parent }: Stripe.InvoiceLineItem) => parent?.invoice_item_details?.invoice_item === id;
      const bill = world.invoices.all().find(({ lines }) => lines.data.some(isItem));
      if (!bill) throw missing('invoiceitem', id);
      draft(bill.id).lines.data = bill.lines.data.filter((line) => !isItem(line));
      return { id, object: 'invoiceitem', deleted: true };
    },
    'GET /v1/credit_notes': listOf(world.creditNotes, ['invoice']),
    'GET /v1/charges/:id': oneOf(world.charges),

    'GET /v1/events': listOf(world.events, [], ({ type, created }, params) => {
      const since = Math.max(Number(params.created.gte), now() - eventsKeptSeconds);
      return world.areEventsListed && created >= since && params.types.includes(type);
    }),

    // All test clocks are the world's one clock.
    'POST /v1/test_helpers/test_clocks': ({ frozen_time }) => {
      passTime(world, Number(frozen_time));
      return { id: newId('clock'), object: 'test_helpers.test_clock', status: 'ready' };
    },
    'POST /v1/test_helpers/test_clocks/:id/advance': ({ frozen_time }, id) => {
      if (Number(frozen_time) <= now()) throw invalidRequest('A test clock only goes forward.', { param: 'frozen_time' });
      passTime(world, Number(frozen_time));
      return { id, object: 'test_helpers.test_clock', status: 'ready' };
    },
  };
}

/** One page of objects, newest first, as every list of Stripe's API is. */
function apiList<T extends { id: string }>(objects: T[], params: { limit?: string; starting_after?: string }) {
  const newestFirst = [...objects].reverse();
  const limit = Math.min(100, Math.max(1, Number(params.limit ?? 10)));
  const after = params.starting_after;
  const place = newestFirst.findIndex(({ id }) => id === after);
  if (after && place < 0) throw missing('object', after, 'starting_after');
  const start = place + 1;
  return { object: 'list', has_more: start + limit < newestFirst.length, data: newestFirst.slice(start, start + limit) };
}

const flag = (text: unknown): boolean | undefined => (text === undefined ? undefined : String(text) === 'true');

const isAsAsked = (one: object, name: string, asked: unknown): boolean =>
  asked === undefined || String((one as Record<string, unknown>)[name]) === asked;

/** @returns undefined if the parameter is missing; an empty text removes all fields */
function customFields(given: Stripe.InvoiceUpdateParams['custom_fields']): Stripe.Invoice.CustomField[] | null | undefined {
  if (given === undefined) return undefined;
  const fields: Stripe.Invoice.CustomField[] = Object.values(given || []);
  const isTooLong = fields.some(({ name, value }) => name.length > 40 || value.length > 140);
  if (fields.length > 4 || isTooLong) {
    throw invalidRequest('At most 4 custom fields, with names up to 40 and values up to 140 characters.', { param: 'custom_fields' });
  }
  return fields.length > 0 ? fields : null;
}

function updateInvoice(bill: Stripe.Invoice, params: Params, now: number): Stripe.Invoice {
  const fields = customFields(params.custom_fields);
  if (fields !== undefined) bill.custom_fields = fields;
  const isAdvancing = flag(params.auto_advance);
  if (isAdvancing === false) stopCollecting(bill);
  if (isAdvancing === true && !bill.auto_advance) Object.assign(bill, { auto_advance: true, automatically_finalizes_at: now + 3600 });
  if (params.automatically_finalizes_at === undefined) return bill;
  const at = Number(params.automatically_finalizes_at);
  if (at <= now || at > now + farthestSeconds) {
    throw invalidRequest('The time must be in the future, up to 5 years.', { param: 'automatically_finalizes_at' });
  }
  return Object.assign(bill, { automatically_finalizes_at: at });
}

/** A negative balance is a credit for the next invoices. */
function moveBalance(world: World, id: string, params: Stripe.CustomerCreateBalanceTransactionParams): Stripe.CustomerBalanceTransaction {
  const of = world.customers.get(id);
  const { currency, description = null, metadata = {} } = params;
  if (currency !== 'usd') throw invalidRequest(`You cannot combine currencies on a single customer.`, { param: 'currency' });
  const amount = Number(params.amount);
  of.balance += amount;
  const moved = { id: newId('cbtxn'), object: 'customer_balance_transaction', type: 'adjustment', customer: id };
  return world.balanceTransactions.add({ ...moved, amount, currency, description, metadata } as Stripe.CustomerBalanceTransaction);
}
