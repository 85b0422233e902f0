import type { Logger } from 'pino';
import type Stripe from 'stripe';
import type { DataSource, EntityManager } from 'typeorm';
import { planProductId } from '../stripe/catalogue.js';
import { orMissing } from '../stripe/stripe-client.js';
import { type CustomerStore, forgetCustomer } from './customer.store.js';
import { unendedSubscriptions } from './end-subscriptions.store.js';
import { isKnown } from './stripe-customers.js';
import { unendedAtStripe } from './stripe-subscriptions.js';
import type { SubscriptionSync } from './subscription-sync.js';

interface AccountSyncParts {
  stripe: Stripe;
  sync: SubscriptionSync;
  customers: CustomerStore;
  dataSource: DataSource;
  log: Logger;
}

/** Brings all that we know of an account's payments to what Stripe has, for when events are lost or late. */
export class AccountSync {
  constructor(private readonly parts: AccountSyncParts) {}

  async follow(accountId: string): Promise<void> {
    const { stripe, sync, customers, dataSource } = this.parts;
    const customer = await customers.find(accountId);
    if (!isKnown(customer)) return;
    const { stripeCustomerId, checkoutSessionId } = customer;
    const atStripe = await orMissing(stripe.customers.retrieve(stripeCustomerId));
    if (!atStripe) await this.assertOurStripe();
    if (!atStripe || atStripe.deleted) return dataSource.transaction((manager) => this.forget(manager, stripeCustomerId));
    // Before the list: a checkout that is over by now has its subscription in it.
    const session = checkoutSessionId ? await orMissing(stripe.checkout.sessions.retrieve(checkoutSessionId)) : null;
    const ids = new Set([
      ...(await unendedAtStripe(stripe, stripeCustomerId)),
      ...(await unendedSubscriptions(dataSource.manager, accountId)),
    ]);
    for (const id of ids) await dataSource.transaction((manager) => sync.follow(manager, id));
    if (checkoutSessionId && session?.status !== 'open') await customers.forgetCheckout(accountId, checkoutSessionId);
  }

  /** Follows the deletion of a customer in Stripe: its subscriptions ended with it, and a next checkout makes another customer. */
  async forget(manager: EntityManager, stripeCustomerId: string): Promise<void> {
    const { sync } = this.parts;
    const accountId = await forgetCustomer(manager, stripeCustomerId);
    if (!accountId) return;
    for (const id of await unendedSubscriptions(manager, accountId, stripeCustomerId)) {
      // One that Stripe does not know any more has ended, too, and must not keep the others from it.
      if ((await orMissing(sync.follow(manager, id).then(() => id))) === null) await sync.forget(manager, id);
    }
  }

  /** Under a key of another Stripe account nobody is known. That must not end what people pay for. */
  private async assertOurStripe(): Promise<void> {
    if (!(await orMissing(this.parts.stripe.products.retrieve(planProductId)))) {
      throw new Error(`Stripe does not know product ${planProductId}: STRIPE_SECRET_KEY may be of another account`);
    }
  }
}
