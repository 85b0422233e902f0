import type Stripe from 'stripe';
import { apiList } from '../api-list.js';
import { invalidRequest } from '../fault.js';
import { expireSession } from '../passing-time.js';
import { matching, type Route } from '../route.js';
import { checkoutSession } from '../shapes/checkout-session.js';
import type { SessionItems } from '../subscribing.js';
import type { World } from '../world.js';

/** Checkout sessions. */
export function checkoutRoutes(world: World, items: SessionItems, payBase: () => string): Route[] {
  const now = () => world.clock.now();
  return [
    {
      method: 'post',
      path: '/v1/checkout/sessions',
      params: 'Checkout/Sessions.SessionCreateParams',
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
    {
      method: 'get',
      path: '/v1/checkout/sessions/:id',
      params: 'Checkout/Sessions.SessionRetrieveParams',
      answer: (_, id) => world.sessions.get(id),
    },
    {
      method: 'get',
      path: '/v1/checkout/sessions',
      params: 'Checkout/Sessions.SessionListParams',
      answer: (params) => {
        const { customer, status } = params;
        return apiList('/v1/checkout/sessions', world.sessions.all().filter(matching({ customer, status })), params);
      },
    },
    {
      method: 'post',
      path: '/v1/checkout/sessions/:id/expire',
      params: 'Checkout/Sessions.SessionExpireParams',
      answer: (_, id) => {
        const session = world.sessions.get(id);
        if (session.status !== 'open') throw invalidRequest('Only Checkout Sessions with a status in ["open"] can be expired.');
        expireSession(world, session);
        return session;
      },
    },
  ];
}
