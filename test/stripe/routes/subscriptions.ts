import { apiList } from '../api-list.js';
import { refundCharge } from '../collecting.js';
import { invalidRequest, missing } from '../fault.js';
import { flag, matching, type Route } from '../route.js';
import { cancelNow, setCancelAtPeriodEnd, subscribeByHand } from '../subscribing.js';
import type { World } from '../world.js';

/** Subscriptions, charges and events. */
export function subscriptionRoutes(world: World): Route[] {
  return [
    {
      method: 'get',
      path: '/v1/subscriptions/:id',
      params: 'Subscriptions.SubscriptionRetrieveParams',
      answer: (_, id) => world.subscriptions.get(id),
    },
    {
      method: 'post',
      path: '/v1/subscriptions',
      params: 'Subscriptions.SubscriptionCreateParams',
      answer: (params) => {
        world.customers.get(params.customer, 'customer');
        return subscribeByHand(
          world,
          params.customer,
          (params.items as { price: string }[]).map(({ price }) => price),
        );
      },
    },
    {
      method: 'get',
      path: '/v1/subscriptions',
      params: 'Subscriptions.SubscriptionListParams',
      answer: (params) => {
        const { customer, status } = params;
        const found = world.subscriptions
          .all()
          .filter(matching({ customer, status: status === 'all' ? undefined : status }))
          .filter((one) => status !== undefined || one.status !== 'canceled');
        return apiList('/v1/subscriptions', found, params);
      },
    },
    {
      method: 'post',
      path: '/v1/subscriptions/:id',
      params: 'Subscriptions.SubscriptionUpdateParams',
      answer: (params, id) => {
        const changed = world.subscriptions.get(id);
        const wanted = flag(params.cancel_at_period_end);
        if (wanted !== undefined) setCancelAtPeriodEnd(world, changed, wanted);
        return changed;
      },
    },
    {
      method: 'delete',
      path: '/v1/subscriptions/:id',
      params: 'Subscriptions.SubscriptionCancelParams',
      answer: (params, id) => {
        const ended = world.subscriptions.get(id);
        if (ended.status === 'canceled') throw missing('subscription', id);
        cancelNow(world, ended, flag(params.invoice_now) ?? false);
        return ended;
      },
    },
    { method: 'get', path: '/v1/charges/:id', params: 'Charges.ChargeRetrieveParams', answer: (_, id) => world.charges.get(id) },
    {
      method: 'post',
      path: '/v1/refunds',
      params: 'Refunds.RefundCreateParams',
      answer: (params) => {
        const charged = world.charges.get(params.charge, 'charge');
        const left = charged.amount - charged.amount_refunded;
        const amount = Number(params.amount ?? left);
        if (amount > left) throw invalidRequest('Refund amount is greater than what is left.', { param: 'amount' });
        return refundCharge(world, charged, amount);
      },
    },
    {
      method: 'get',
      path: '/v1/events',
      params: 'Events.EventListParams',
      answer: (params) => apiList('/v1/events', world.events.all().filter(matching({ type: params.type })), params),
    },
    { method: 'get', path: '/v1/events/:id', params: 'Events.EventRetrieveParams', answer: (_, id) => world.events.get(id) },
  ];
}
