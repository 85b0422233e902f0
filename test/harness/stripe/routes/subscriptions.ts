import { apiList } from '../api-list.js';
import { refundCharge } from '../collecting.js';
import { invalidRequest, missing } from '../fault.js';
import { flag, matching, type Route } from '../route.js';
import { cancelNow, setCancelAtPeriodEnd } from '../subscribing.js';
import type { World } from '../world.js';

/** Subscriptions, their bills and charges, and what happened to them. */
export function subscriptionRoutes(world: World): Route[] {
  return [
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
        const wanted = flag(params.cancel_at_period_end);
        if (wanted !== undefined) setCancelAtPeriodEnd(world, changed, wanted);
        return changed;
      },
    },
    {
      method: 'delete',
      path: '/v1/subscriptions/:id',
      knows: ['invoice_now', 'prorate'],
      answer: (params, id) => {
        const ended = world.subscriptions.get(id);
        if (ended.status === 'canceled') throw missing('subscription', id);
        cancelNow(world, ended, flag(params.invoice_now) ?? false);
        return ended;
      },
    },
    { method: 'get', path: '/v1/invoices/:id', knows: [], answer: (_, id) => world.invoices.get(id) },
    {
      method: 'get',
      path: '/v1/invoices',
      knows: ['customer', 'status'],
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
        const left = charged.amount - charged.amount_refunded;
        const amount = Number(params.amount ?? left);
        if (amount > left) throw invalidRequest('Refund amount is greater than what is left.', { param: 'amount' });
        return refundCharge(world, charged, amount);
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
