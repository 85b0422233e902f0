import type { Logger } from 'pino';
import type Stripe from 'stripe';
import type { DataSource, EntityManager } from 'typeorm';
import { type CustomerStore, forgetCustomer } from './customer.store.js';
import { unendedSubscriptions } from './end-subscriptions.store.js';
import { orMissing } from './stripe-client.js';
import { isKnown } from './stripe-customers.js';
import { unendedAtStripe } from './stripe-subscriptions.js';
import type { SubscriptionSync } from './subscription-sync.js';
import { warnOfDeletion } from './subscription-sync.store.js';

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
    if (!atStripe || atStripe.deleted) return this.forget(stripeCustomerId);
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
  async forget(stripeCustomerId: string): Promise<void> {
    await this.parts.dataSource.transaction((manager) => this.forgetIn(manager, stripeCustomerId));
  }

  async forgetIn(manager: EntityManager, stripeCustomerId: string): Promise<void> {
    const { sync, log } = this.parts;
    const accountId = await forgetCustomer(manager, stripeCustomerId);
    if (!accountId) return;
    for (const id of await unendedSubscriptions(manager, accountId, stripeCustomerId)) await sync.follow(manager, id);
    const records = await warnOfDeletion(manager, stripeCustomerId);
    log.error(
      { account: accountId, customer: stripeCustomerId, records },
      'a customer was deleted in Stripe, and is not billed these records',
    );
  }
}
