import type Stripe from 'stripe';
import { apiList } from '../api-list.js';
import { invalidRequest } from '../fault.js';
import { expireSession } from '../passing-time.js';
import { matching, type Route } from '../route.js';
import { checkoutSession } from '../shapes/checkout-session.js';
import { customer } from '../shapes/customer.js';
import type { SessionItems } from '../subscribing.js';
import { newId, type World } from '../world.js';

/** Customers, their way in and their portal. */
export function checkoutRoutes(world: World, items: SessionItems, payBase: () => string): Route[] {
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
      path: '/v1/checkout/sessions/:id/expire',
      knows: [],
      answer: (_, id) => {
        const session = world.sessions.get(id);
        if (session.status !== 'open') throw invalidRequest('Only Checkout Sessions with a status in ["open"] can be expired.');
        expireSession(world, session);
        return session;
      },
    },
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
  ];
}
