import type { Logger } from 'pino';
import type Stripe from 'stripe';
import type { DataSource, EntityManager } from 'typeorm';
import { planProductId } from '../stripe/catalogue.js';
import { orMissing } from '../stripe/stripe-client.js';
import { type CustomerStore, forgetCustomer } from './customer.store.js';
import { unendedSubscriptions } from './end-subscriptions.store.js';
import { hasCustomer } from './stripe-customers.js';
import { unendedAtStripe } from './subscription-reading.js';
import type { SubscriptionSync } from './subscription-sync.js';

interface AccountSyncParts {
  stripe: Stripe;
  sync: SubscriptionSync;
  customers: CustomerStore;
  dataSource: DataSource;
  log: Logger;
}

/** Updates our copy of an account's customer, checkout and subscriptions from Stripe, in case events are lost or late. */
export class AccountSync {
  constructor(private readonly parts: AccountSyncParts) {}

  async follow(accountId: string): Promise<void> {
    const { stripe, sync, customers, dataSource } = this.parts;
    const customer = await customers.find(accountId);
    if (!hasCustomer(customer)) return;
    const { stripeCustomerId, checkoutSessionId } = customer;
    const atStripe = await orMissing(stripe.customers.retrieve(stripeCustomerId));
    if (!atStripe) await this.assertOurStripe();
    if (!atStripe || atStripe.deleted) return dataSource.transaction((manager) => this.forget(manager, stripeCustomerId));
    // Before listing subscriptions: one from a checkout that is over by now is then in the list.
    const session = checkoutSessionId ? await orMissing(stripe.checkout.sessions.retrieve(checkoutSessionId)) : null;
    const ids = new Set([
      ...(await unendedAtStripe(stripe, stripeCustomerId)).map(({ id }) => id),
      ...(await unendedSubscriptions(dataSource.manager, accountId)),
    ]);
    for (const id of ids) await dataSource.transaction((manager) => sync.follow(manager, id));
    if (checkoutSessionId && session?.status !== 'open') await customers.forgetCheckout(accountId, checkoutSessionId);
  }

  /** The customer was deleted in Stripe: its subscriptions ended, and the next checkout creates another customer. */
  async forget(manager: EntityManager, stripeCustomerId: string): Promise<void> {
    const { sync } = this.parts;
    const accountId = await forgetCustomer(manager, stripeCustomerId);
    if (!accountId) return;
    for (const id of await unendedSubscriptions(manager, accountId, stripeCustomerId)) {
      // A subscription that Stripe no longer knows has ended too, and must not block the others.
      if ((await orMissing(sync.follow(manager, id).then(() => id))) === null) await sync.forget(manager, id);
    }
  }

  /** With another Stripe account's key every customer is unknown. That must not end paid subscriptions. */
  private async assertOurStripe(): Promise<void> {
    if (!(await orMissing(this.parts.stripe.products.retrieve(planProductId)))) {
      throw new Error(`Stripe does not know product ${planProductId}: STRIPE_SECRET_KEY may belong to another account`);
    }
  }
}
