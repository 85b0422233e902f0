import type { Logger } from 'pino';
import type Stripe from 'stripe';
import type { DataSource, EntityManager } from 'typeorm';
import { planProductId } from '../stripe/catalogue.js';
import { orMissing } from '../stripe/stripe-client.js';
import { type CustomerStore, forgetCustomer } from './customer.store.js';
import { type AccountWithCustomer, hasCustomer } from './stripe-customers.js';
import { hasEnded, unendedAtStripe } from './subscription-reading.js';
import type { SubscriptionSync } from './subscription-sync.js';
import { isClosed, unendedSubscriptions } from './subscription-sync.store.js';

interface AccountSyncOptions {
  stripe: Stripe;
  sync: SubscriptionSync;
  customers: CustomerStore;
  dataSource: DataSource;
  log: Logger;
}

// The longest that a page waits for Stripe.
const patienceMs = 4_000;

/** Updates our copy of an account's customer, checkout and subscriptions from Stripe. */
export class AccountSync {
  constructor(private readonly options: AccountSyncOptions) {}

  async follow(accountId: string): Promise<void> {
    const { stripe, sync, customers, dataSource } = this.options;
    const customer = await customers.find(accountId);
    if (!hasCustomer(customer)) return;
    const { stripeCustomerId, checkoutSessionId } = customer;
    const atStripe = await orMissing(stripe.customers.retrieve(stripeCustomerId));
    if (!atStripe) await this.assertOurStripe();
    if (!atStripe || atStripe.deleted) return dataSource.transaction((manager) => this.forget(manager, stripeCustomerId));
    // Before listing subscriptions: one from a checkout that is over by now is then in the list.
    const session = checkoutSessionId ? await orMissing(stripe.checkout.sessions.retrieve(checkoutSessionId)) : null;
    for (const id of await this.unended(customer)) await dataSource.transaction((manager) => sync.follow(manager, id));
    if (checkoutSessionId && session?.status !== 'open') await customers.forgetCheckout(accountId, checkoutSessionId);
  }

  /** Follows what the account has just paid for. If Stripe fails or is slow, its event does so later. */
  async followCheckout(accountId: string): Promise<void> {
    const { stripe, sync, customers, dataSource, log } = this.options;
    const id = (await customers.find(accountId))?.checkoutSessionId;
    if (!id) return;
    try {
      const session = await orMissing(stripe.checkout.sessions.retrieve(id, undefined, { timeout: patienceMs, maxNetworkRetries: 0 }));
      if (session?.status === 'open') return;
      if (session) await dataSource.transaction((manager) => sync.followCheckout(manager, session));
      await customers.forgetCheckout(accountId, id);
    } catch (error) {
      log.warn({ error, account: accountId }, 'a checkout could not be fetched from Stripe');
    }
  }

  /** The customer was deleted in Stripe: its subscriptions ended, and the next checkout creates another customer. */
  async forget(manager: EntityManager, stripeCustomerId: string): Promise<void> {
    const { sync } = this.options;
    const accountId = await forgetCustomer(manager, stripeCustomerId);
    if (!accountId) return;
    for (const id of await unendedSubscriptions(manager, accountId, stripeCustomerId)) {
      // A subscription that Stripe no longer knows has ended too, and must not block the others.
      if ((await orMissing(sync.follow(manager, id).then(() => id))) === null) await sync.forget(manager, id);
    }
  }

  /**
   * Ends the subscriptions of a closed or banned account, which could no longer use or cancel them. A ban may be lifted meanwhile, so this
   * checks again before each step that cannot be undone.
   */
  async end(accountId: string): Promise<void> {
    const { stripe, dataSource, customers } = this.options;
    const customer = await customers.find(accountId);
    if (!hasCustomer(customer) || !(await isClosed(dataSource.manager, accountId))) return;
    const { checkoutSessionId } = customer;
    const session = checkoutSessionId ? await orMissing(stripe.checkout.sessions.retrieve(checkoutSessionId)) : null;
    // An open checkout could still start a subscription.
    if (session?.status === 'open') await stripe.checkout.sessions.expire(session.id);
    const ids = await this.unended(customer);
    // If Stripe refuses to end one, the others must still end.
    const outcomes = await Promise.allSettled([...ids].map((id) => this.endOne(id, accountId)));
    const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [(outcome.reason as Error).message] : []));
    if (reasons.length > 0) throw new Error(`${reasons.length} of ${ids.size} subscriptions did not end: ${reasons.join('; ')}`);
  }

  private async endOne(id: string, accountId: string): Promise<void> {
    const { stripe, sync, dataSource, log } = this.options;
    const subscription = await orMissing(stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] }));
    if (!(await isClosed(dataSource.manager, accountId))) return;
    if (subscription && !hasEnded(subscription.status)) {
      const latest = subscription.latest_invoice as Stripe.Invoice | null; // expanded
      // A renewal's draft would charge for a period that the customer cannot use. Operators see it as a warning.
      if (latest?.status === 'draft') await stripe.invoices.update(latest.id, { auto_advance: false });
      // Its overage goes on an overage invoice; the rest of the paid month is not refunded.
      await stripe.subscriptions.cancel(id, { invoice_now: false, prorate: false });
    }
    await dataSource.transaction((manager) => (subscription ? sync.follow(manager, id) : sync.forget(manager, id)));
    log.info({ subscription: id }, 'ended the subscription of an account that was closed or banned');
  }

  /** Here or in Stripe. */
  private async unended({ accountId, stripeCustomerId }: AccountWithCustomer): Promise<Set<string>> {
    const atStripe = await unendedAtStripe(this.options.stripe, stripeCustomerId);
    return new Set([...atStripe.map(({ id }) => id), ...(await unendedSubscriptions(this.options.dataSource.manager, accountId))]);
  }

  /** With another Stripe account's key every customer is unknown. That must not end paid subscriptions. */
  private async assertOurStripe(): Promise<void> {
    if (!(await orMissing(this.options.stripe.products.retrieve(planProductId)))) {
      throw new Error(`Stripe does not know product ${planProductId}: STRIPE_SECRET_KEY may belong to another account`);
    }
  }
}
