import type Stripe from 'stripe';
import { apiList } from '../api-list.js';
import { invalidRequest } from '../fault.js';
import { matching, type Route } from '../route.js';
import { customer } from '../shapes/customer.js';
import { cancelNow } from '../subscribing.js';
import { newId, type World } from '../world.js';
import { customFields } from './invoices.js';

/** Customers and their balances. */
export function customerRoutes(world: World): Route[] {
  return [
    {
      method: 'post',
      path: '/v1/customers',
      params: 'Customers.CustomerCreateParams',
      answer: (params) => {
        const created = world.customers.add(customer(world.clock.now(), params));
        world.emit('customer.created', created);
        return created;
      },
    },
    {
      method: 'get',
      path: '/v1/customers/:id',
      params: 'Customers.CustomerRetrieveParams',
      // Stripe still returns this much of a deleted customer.
      answer: (_, id) => (world.deletedCustomers.has(id) ? { id, object: 'customer', deleted: true } : world.customers.get(id)),
    },
    {
      method: 'get',
      path: '/v1/customers',
      params: 'Customers.CustomerListParams',
      answer: (params) => apiList('/v1/customers', world.customers.all().filter(matching({ email: params.email })), params),
    },
    {
      method: 'post',
      path: '/v1/customers/:id',
      params: 'Customers.CustomerUpdateParams',
      answer: (params, id) => {
        const { invoice_settings, ...plain } = params;
        const updated = Object.assign(world.customers.get(id), plain);
        const fields = customFields(invoice_settings?.custom_fields);
        if (fields !== undefined) updated.invoice_settings.custom_fields = fields;
        world.emit('customer.updated', updated);
        return updated;
      },
    },
    {
      method: 'delete',
      path: '/v1/customers/:id',
      params: 'Customers.CustomerDeleteParams',
      answer: (_, id) => deleteCustomer(world, id),
    },
    {
      method: 'post',
      path: '/v1/customers/:id/balance_transactions',
      params: 'Customers.CustomerCreateBalanceTransactionParams',
      answer: (params, id) => moveBalance(world, id, params),
    },
    {
      method: 'get',
      path: '/v1/customers/:id/balance_transactions',
      params: 'Customers.CustomerListBalanceTransactionsParams',
      answer: (params, id) => {
        world.customers.get(id);
        const moved = world.balanceTransactions.all().filter(matching({ customer: id }));
        return apiList(`/v1/customers/${id}/balance_transactions`, moved, params);
      },
    },
  ];
}

/** Ends the customer's subscriptions at once, without a final invoice. */
export function deleteCustomer(world: World, id: string): Stripe.DeletedCustomer {
  const gone = world.customers.get(id);
  for (const subscription of world.subscriptions.all()) {
    if (subscription.customer === id && subscription.ended_at === null) cancelNow(world, subscription, false);
  }
  world.customers.remove(id);
  world.deletedCustomers.add(id);
  world.emit('customer.deleted', gone);
  return { id, object: 'customer', deleted: true };
}

/** A negative balance is a credit for the next invoices. */
function moveBalance(
  world: World,
  id: string,
  { amount, currency, description, metadata }: Stripe.CustomerCreateBalanceTransactionParams,
): Stripe.CustomerBalanceTransaction {
  const of = world.customers.get(id);
  if (currency !== 'usd') throw invalidRequest(`You cannot combine currencies on a single customer.`, { param: 'currency' });
  of.balance += Number(amount);
  return world.balanceTransactions.add({
    id: newId('cbtxn'),
    object: 'customer_balance_transaction',
    amount: Number(amount),
    checkout_session: null,
    created: world.clock.now(),
    credit_note: null,
    currency,
    customer: id,
    customer_account: null,
    description: description ?? null,
    ending_balance: of.balance,
    invoice: null,
    livemode: false,
    metadata: (metadata || {}) as Stripe.Metadata,
    type: 'adjustment',
  });
}
