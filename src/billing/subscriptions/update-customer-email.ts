import type Stripe from 'stripe';
import type { Task } from '../../jobs/task.js';
import { orMissing } from '../stripe/stripe-client.js';
import type { CustomerStore } from './customer.store.js';
import { isKnown } from './stripe-customers.js';

/** Gives Stripe the new e-mail address of an account that pays: bills and receipts go there. */
export const updateCustomerEmail = (stripe: Stripe, customers: CustomerStore): Task<'update-customer-email'> => ({
  name: 'update-customer-email',
  timeLimitSeconds: 30,
  run: async ({ accountId, email }) => {
    const customer = await customers.find(accountId);
    if (isKnown(customer)) await orMissing(stripe.customers.update(customer.stripeCustomerId, { email }));
  },
});
