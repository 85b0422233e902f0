import type Stripe from 'stripe';
import type { SessionUser } from '../../core/context.js';
import type { Task } from '../../jobs/task.js';
import { createOnce, pausesOfCustomer } from '../stripe/create-once.js';
import { orMissing } from '../stripe/stripe-client.js';
import type { BillingCustomerEntity } from './billing-customer.entity.js';
import type { CustomerStore } from './customer.store.js';

/** The signed-in user, as far as a checkout needs it. */
export type Payer = Pick<SessionUser, 'id' | 'email'>;

/** An account that has a customer in Stripe. */
export type AccountWithCustomer = BillingCustomerEntity & { stripeCustomerId: string };

export const hasCustomer = (customer: BillingCustomerEntity | null): customer is AccountWithCustomer => customer?.stripeCustomerId != null;

/** Creates an account's Stripe customer: one, whatever fails and however many servers try. */
export class StripeCustomers {
  constructor(
    private readonly stripe: Stripe,
    private readonly customers: CustomerStore,
  ) {}

  ensure({ id, email }: Payer): Promise<AccountWithCustomer> {
    const params: Stripe.CustomerCreateParams = { email, metadata: { account_id: id } };
    let seen: BillingCustomerEntity;
    const keep = async (stripeCustomerId: string): Promise<AccountWithCustomer> => {
      await this.customers.setCustomer(id, stripeCustomerId);
      return this.customers.findOrAdd(id) as Promise<AccountWithCustomer>;
    };
    return createOnce<AccountWithCustomer>(
      {
        find: async () => {
          seen = await this.customers.findOrAdd(id);
          if (hasCustomer(seen)) return seen;
          const made = seen.attempts > 0 ? await this.find({ id, email }) : null;
          return made && keep(made.id);
        },
        begin: () => this.customers.beginAttempt(seen),
        create: async (options) => keep((await this.stripe.customers.create(params, options)).id),
        giveUp: (attemptKey) => this.customers.failAttempt(id, attemptKey),
      },
      pausesOfCustomer,
    );
  }

  /** A customer that exists although the call that created it failed. Stripe's lists are current; its search is not. */
  private async find({ id, email }: Payer): Promise<Stripe.Customer | null> {
    for await (const customer of this.stripe.customers.list({ email, limit: 100 })) {
      if (customer.metadata?.account_id === id) return customer;
    }
    return null;
  }
}

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
