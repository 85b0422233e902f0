import type Stripe from 'stripe';
import { apiList } from './api-list.js';
import { invalidRequest } from './fault.js';
import { cancelMeterEvent, sumUsage, takeMeterEvent } from './metering.js';
import { meter, price, product } from './shapes/catalogue.js';
import { refund } from './shapes/charge.js';
import { checkoutSession } from './shapes/checkout-session.js';
import { customer } from './shapes/customer.js';
import { endSubscription, type SessionItems } from './subscribing.js';
import { newId, type World } from './world.js';

/** Parameters as they come: text and nested objects of text, whatever the SDK's types call them. */
// biome-ignore lint/suspicious/noExplicitAny: each route reads them by the SDK's own parameter types
export type Params = any;

export interface Route {
  method: 'get' | 'post' | 'delete';
  path: string;
  /** Every parameter the route knows; another is refused, as Stripe does. `expand` and paging go without saying. */
  knows: string[];
  requires?: string[];
  answer(params: Params, id: string): unknown;
}

/** The endpoints of Stripe's API that the service uses, and those that its tests steer with. */
export function routes(world: World, items: SessionItems, payBase: () => string): Route[] {
  const now = () => world.clock.now();
  return [
    {
      method: 'post',
      path: '/v1/customers',
      knows: ['email', 'name', 'metadata'],
      answer: (params) => {
        const created = world.customers.add(customer(now(), params));
        world.emit('customer.created', created);
        return created;
      },
    },
    { method: 'get', path: '/v1/customers/:id', knows: [], answer: (_, id) => world.customers.get(id) },
    {
      method: 'get',
      path: '/v1/customers',
      knows: ['email'],
      answer: (params) => apiList('/v1/customers', world.customers.all().filter(matching({ email: params.email })), params),
    },
    {
      method: 'post',
      path: '/v1/products',
      knows: ['id', 'name', 'description', 'unit_label'],
      requires: ['name'],
      answer: (params: Stripe.ProductCreateParams) => {
        if (params.id && world.products.has(params.id)) {
          throw invalidRequest(`Product already exists: ${params.id}`, { code: 'resource_already_exists', param: 'id' });
        }
        return world.products.add(product(now(), params));
      },
    },
    { method: 'get', path: '/v1/products/:id', knows: [], answer: (_, id) => world.products.get(id) },
    {
      method: 'post',
      path: '/v1/prices',
      knows: ['product', 'lookup_key', 'nickname', 'currency', 'unit_amount', 'recurring'],
      requires: ['product', 'currency'],
      answer: (params: Stripe.PriceCreateParams) => {
        world.products.get(params.product!, 'product');
        if (params.recurring?.meter) world.meters.get(params.recurring.meter, 'recurring[meter]');
        if (params.lookup_key && world.prices.all().some(matching({ lookup_key: params.lookup_key, active: true }))) {
          throw invalidRequest(`A price with lookup key ${params.lookup_key} exists already.`, { param: 'lookup_key' });
        }
        return world.prices.add(price(now(), params));
      },
    },
    { method: 'get', path: '/v1/prices/:id', knows: [], answer: (_, id) => world.prices.get(id) },
    {
      method: 'get',
      path: '/v1/prices',
      knows: ['lookup_keys', 'active', 'product'],
      answer: (params) => {
        const wanted = params.lookup_keys as string[] | undefined;
        const found = world.prices
          .all()
          .filter(matching({ product: params.product, active: flag(params.active) }))
          .filter(({ lookup_key }) => !wanted || (lookup_key !== null && wanted.includes(lookup_key)));
        return apiList('/v1/prices', found, params);
      },
    },
    {
      method: 'post',
      path: '/v1/billing/meters',
      knows: ['display_name', 'event_name', 'default_aggregation', 'customer_mapping', 'value_settings'],
      requires: ['display_name', 'event_name', 'default_aggregation'],
      answer: (params: Stripe.Billing.MeterCreateParams) => {
        if (world.meters.all().some(matching({ event_name: params.event_name, status: 'active' }))) {
          throw invalidRequest(`There is already an active meter with event name ${params.event_name}.`, { param: 'event_name' });
        }
        return world.meters.add(meter(now(), params));
      },
    },
    {
      method: 'get',
      path: '/v1/billing/meters',
      knows: ['status'],
      answer: (params) => apiList('/v1/billing/meters', world.meters.all().filter(matching({ status: params.status })), params),
    },
    {
      method: 'get',
      path: '/v1/billing/meters/:id/event_summaries',
      knows: ['customer', 'start_time', 'end_time', 'value_grouping_window'],
      requires: ['customer', 'start_time', 'end_time'],
      answer: (params, id) => summaries(world, world.meters.get(id), params),
    },
    {
      method: 'post',
      path: '/v1/billing/meter_events',
      knows: ['event_name', 'payload', 'identifier', 'timestamp'],
      requires: ['event_name', 'payload'],
      answer: (params) => takeMeterEvent(world, params),
    },
    {
      method: 'post',
      path: '/v1/billing/meter_event_adjustments',
      knows: ['event_name', 'type', 'cancel'],
      requires: ['event_name', 'type'],
      answer: (params) => cancelMeterEvent(world, params),
    },
    {
      method: 'post',
      path: '/v1/checkout/sessions',
      knows: ['mode', 'customer', 'line_items', 'success_url', 'cancel_url', 'client_reference_id', 'subscription_data'],
      requires: ['mode', 'line_items', 'success_url'],
      answer: (params: Stripe.Checkout.SessionCreateParams) => {
        if (params.customer) world.customers.get(params.customer, 'customer');
        for (const line of params.line_items!) {
          const { recurring } = world.prices.get(line.price!, 'line_items[price]');
          if (recurring?.usage_type === 'metered' && line.quantity !== undefined) {
            throw invalidRequest('Quantity should not be specified where usage_type is `metered`.', { param: 'line_items[quantity]' });
          }
        }
        const session = world.sessions.add(checkoutSession(now(), payBase(), params));
        items.set(session.id, {
          prices: params.line_items!.map((line) => line.price!),
          metadata: (params.subscription_data?.metadata ?? {}) as Stripe.Metadata,
        });
        return session;
      },
    },
    { method: 'get', path: '/v1/checkout/sessions/:id', knows: [], answer: (_, id) => world.sessions.get(id) },
    {
      method: 'post',
      path: '/v1/billing_portal/sessions',
      knows: ['customer', 'return_url'],
      requires: ['customer'],
      answer: (params: Stripe.BillingPortal.SessionCreateParams) => {
        world.customers.get(params.customer!, 'customer');
        const id = newId('bps');
        return {
          id,
          object: 'billing_portal.session',
          configuration: newId('bpc'),
          created: now(),
          customer: params.customer!,
          customer_account: null,
          flow: null,
          livemode: false,
          locale: null,
          on_behalf_of: null,
          return_url: params.return_url ?? null,
          url: `${payBase()}/portal/${params.customer}`,
        } satisfies Stripe.BillingPortal.Session;
      },
    },
    { method: 'get', path: '/v1/subscriptions/:id', knows: [], answer: (_, id) => world.subscriptions.get(id) },
    {
      method: 'get',
      path: '/v1/subscriptions',
      knows: ['customer', 'status'],
      answer: (params) => {
        const status = params.status === 'all' ? undefined : params.status;
        return apiList('/v1/subscriptions', world.subscriptions.all().filter(matching({ customer: params.customer, status })), params);
      },
    },
    {
      method: 'post',
      path: '/v1/subscriptions/:id',
      knows: ['cancel_at_period_end'],
      answer: (params, id) => {
        const changed = world.subscriptions.get(id);
        changed.cancel_at_period_end = flag(params.cancel_at_period_end) ?? changed.cancel_at_period_end;
        changed.canceled_at = changed.cancel_at_period_end ? now() : null;
        world.emit('customer.subscription.updated', changed);
        return changed;
      },
    },
    {
      method: 'delete',
      path: '/v1/subscriptions/:id',
      knows: [],
      answer: (_, id) => {
        const ended = world.subscriptions.get(id);
        endSubscription(world, ended, now());
        return ended;
      },
    },
    { method: 'get', path: '/v1/invoices/:id', knows: [], answer: (_, id) => world.invoices.get(id) },
    {
      method: 'get',
      path: '/v1/invoices',
      knows: ['customer', 'subscription', 'status'],
      answer: (params) =>
        apiList('/v1/invoices', world.invoices.all().filter(matching({ customer: params.customer, status: params.status })), params),
    },
    { method: 'get', path: '/v1/charges/:id', knows: [], answer: (_, id) => world.charges.get(id) },
    {
      method: 'post',
      path: '/v1/refunds',
      knows: ['charge', 'amount'],
      requires: ['charge'],
      answer: (params) => {
        const charged = world.charges.get(params.charge, 'charge');
        const amount = Number(params.amount ?? charged.amount - charged.amount_refunded);
        if (amount > charged.amount - charged.amount_refunded)
          throw invalidRequest('Refund amount is greater than what is left.', { param: 'amount' });
        charged.amount_refunded += amount;
        charged.refunded = charged.amount_refunded === charged.amount;
        world.emit('charge.refunded', charged);
        return world.refunds.add(refund(now(), charged, amount));
      },
    },
    {
      method: 'get',
      path: '/v1/events',
      knows: ['type'],
      answer: (params) => apiList('/v1/events', world.events.all().filter(matching({ type: params.type })), params),
    },
    { method: 'get', path: '/v1/events/:id', knows: [], answer: (_, id) => world.events.get(id) },
  ];
}

function summaries(world: World, of: Stripe.Billing.Meter, params: Params) {
  const start = Number(params.start_time);
  const end = Number(params.end_time);
  if (start % 60 !== 0 || end % 60 !== 0) throw invalidRequest('Times must be aligned with minute boundaries.', { param: 'start_time' });
  if (end <= start) throw invalidRequest('end_time must be after start_time.', { param: 'end_time' });
  world.customers.get(params.customer, 'customer');
  const windowSeconds = { hour: 3600, day: 24 * 3600 }[params.value_grouping_window as 'hour' | 'day'] ?? end - start;
  const data: Stripe.Billing.MeterEventSummary[] = [];
  for (let from = start; from < end; from += windowSeconds) {
    data.push({
      id: `mtrusg_${of.id}_${params.customer}_${from}`,
      object: 'billing.meter_event_summary',
      aggregated_value: sumUsage(world, of, params.customer, from, from + windowSeconds),
      end_time: from + windowSeconds,
      livemode: false,
      meter: of.id,
      start_time: from,
    });
  }
  return apiList(`/v1/billing/meters/${of.id}/event_summaries`, data, params);
}

const flag = (text: unknown): boolean | undefined => (text === undefined ? undefined : text === 'true');

/** Filters by the parameters that came. */
const matching =
  (wanted: Record<string, unknown>) =>
  (object: object): boolean =>
    Object.entries(wanted).every(([key, value]) => value === undefined || (object as Record<string, unknown>)[key] === value);
