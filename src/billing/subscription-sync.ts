import type Stripe from 'stripe';
import type { EntityManager } from 'typeorm';
import { planProductId } from './catalogue.js';
import { idOf } from './stripe-id.js';
import { isLive, plannedEndSeconds } from './subscription-status.js';
import {
  accountOfCustomer,
  endUnknown,
  followSubscription,
  lockSubscription,
  openBalance,
  type SubscriptionTerms,
  saveSubscription,
} from './subscription-sync.store.js';

/** Brings our copy of a subscription, and its balance, to the state that Stripe has now. */
export class SubscriptionSync {
  constructor(private readonly stripe: Stripe) {}

  /** Locks before it asks Stripe: so of two servers that follow one subscription, the one that writes last has asked last. */
  async follow(manager: EntityManager, subscriptionId: string): Promise<void> {
    await lockSubscription(manager, subscriptionId);
    const subscription = await this.stripe.subscriptions.retrieve(subscriptionId, { expand: ['latest_invoice'] });
    const item = subscription.items.data.find(({ price }) => idOf(price.product) === planProductId);
    const accountId = await accountOfCustomer(manager, idOf(subscription.customer));
    // The Stripe account may have other products and other customers.
    if (!item || !accountId) return;

    const terms = termsOf(subscription, item);
    const balanceId = await saveSubscription(manager, accountId, terms);
    const isPaid = isLive(subscription.status) && (await this.isLatestInvoicePaid(subscription));
    if (balanceId) await followSubscription(manager, balanceId, terms, isPaid);
    else if (isPaid) await openBalance(manager, accountId, terms);
  }

  /** Ends a subscription that Stripe does not know any more. */
  async forget(manager: EntityManager, subscriptionId: string): Promise<void> {
    await lockSubscription(manager, subscriptionId);
    await endUnknown(manager, subscriptionId);
  }

  private async isLatestInvoicePaid({ latest_invoice }: Stripe.Subscription): Promise<boolean> {
    if (!latest_invoice) return false;
    const invoice = typeof latest_invoice === 'string' ? await this.stripe.invoices.retrieve(latest_invoice) : latest_invoice;
    return invoice.status === 'paid';
  }
}

function termsOf(subscription: Stripe.Subscription, item: Stripe.SubscriptionItem): SubscriptionTerms {
  const live = isLive(subscription.status);
  return {
    id: subscription.id,
    status: subscription.status,
    isLive: live,
    createdSeconds: subscription.created,
    anchorSeconds: subscription.billing_cycle_anchor,
    periodStartSeconds: item.current_period_start,
    periodEndSeconds: item.current_period_end,
    endsAtSeconds: live ? plannedEndSeconds(subscription, item.current_period_end) : subscription.ended_at,
  };
}
