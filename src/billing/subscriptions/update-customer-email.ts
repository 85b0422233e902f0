import type Stripe from 'stripe';
import type { Task } from '../../jobs/task.js';
import { orMissing } from '../stripe/stripe-client.js';
import type { CustomerStore } from './customer.store.js';
import { hasCustomer } from './stripe-customers.js';

/** Sends a customer's new email address to Stripe, for invoices and receipts. */
export const updateCustomerEmail = (stripe: Stripe, customers: CustomerStore): Task<'update-customer-email'> => ({
  name: 'update-customer-email',
  timeLimitSeconds: 30,
  isOutbound: true,
  run: async ({ accountId, email }) => {
    const customer = await customers.find(accountId);
    if (hasCustomer(customer)) await orMissing(stripe.customers.update(customer.stripeCustomerId, { email }));
  },
});
