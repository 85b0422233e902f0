import type { Logger } from 'pino';
import type Stripe from 'stripe';
import type { DataSource } from 'typeorm';
import type { Task } from '../../jobs/task.js';
import { orMissing } from '../stripe/stripe-client.js';
import type { BillingCustomerEntity } from './billing-customer.entity.js';
import type { CustomerStore } from './customer.store.js';
import { isClosed, unendedSubscriptions } from './end-subscriptions.store.js';
import { hasCustomer } from './stripe-customers.js';
import { unendedAtStripe } from './subscription-reading.js';
import { hasEnded } from './subscription-status.js';
import type { SubscriptionSync } from './subscription-sync.js';

interface EndSubscriptionsParts {
  stripe: Stripe;
  sync: SubscriptionSync;
  customers: CustomerStore;
  dataSource: DataSource;
  log: Logger;
}

/**
 * Ends the subscriptions of closed or banned accounts, which could no longer use or cancel them. A ban may be lifted while the job runs, so it
 * checks again before each step that cannot be undone.
 */
export class EndSubscriptions implements Task<'end-subscriptions'> {
  readonly name = 'end-subscriptions';
  readonly timeLimitSeconds = 120;
  readonly isOutbound = true;

  constructor(private readonly parts: EndSubscriptionsParts) {}

  async run({ accountId }: { accountId: string }): Promise<void> {
    const { stripe, dataSource, customers } = this.parts;
    const customer = await customers.find(accountId);
    if (!hasCustomer(customer) || !(await isClosed(dataSource.manager, accountId))) return;
    await this.closeCheckout(customer);
    const known = await unendedSubscriptions(dataSource.manager, accountId);
    const atStripe = await unendedAtStripe(stripe, customer.stripeCustomerId);
    const ids = new Set([...known, ...atStripe.map(({ id }) => id)]);
    // If Stripe refuses to end one, the others must still end.
    const outcomes = await Promise.allSettled([...ids].map((id) => this.end(id, accountId)));
    const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [(outcome.reason as Error).message] : []));
    if (reasons.length > 0) throw new Error(`${reasons.length} of ${ids.size} subscriptions did not end: ${reasons.join('; ')}`);
  }

  private async end(id: string, accountId: string): Promise<void> {
    const { stripe, sync, dataSource, log } = this.parts;
    const subscription = await orMissing(stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] }));
    if (!(await isClosed(dataSource.manager, accountId))) return;
    if (subscription && !hasEnded(subscription.status)) await this.cancel(subscription);
    await dataSource.transaction((manager) => (subscription ? sync.follow(manager, id) : sync.forget(manager, id)));
    log.info({ subscription: id }, 'ended the subscription of an account that was closed or banned');
  }

  /** Its overage goes on an overage invoice; the rest of the paid month is not refunded. */
  private async cancel({ id, latest_invoice }: Stripe.Subscription): Promise<void> {
    const { stripe } = this.parts;
    const latest = latest_invoice as Stripe.Invoice | null; // expanded
    // A renewal's draft would charge for a period that the customer cannot use. Operators see it as a warning.
    if (latest?.status === 'draft') await stripe.invoices.update(latest.id, { auto_advance: false });
    await stripe.subscriptions.cancel(id, { invoice_now: false, prorate: false });
  }

  /** An open checkout could still start a subscription. */
  private async closeCheckout({ checkoutSessionId }: BillingCustomerEntity): Promise<void> {
    if (!checkoutSessionId) return;
    const { stripe } = this.parts;
    const session = await orMissing(stripe.checkout.sessions.retrieve(checkoutSessionId));
    if (session?.status === 'open') await stripe.checkout.sessions.expire(checkoutSessionId);
  }
}
