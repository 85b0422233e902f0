import type Stripe from 'stripe';
import type { EntityManager } from 'typeorm';
import { subscriptionOf } from '../stripe/invoices.js';
import { isMissing } from '../stripe/stripe-errors.js';
import { idOf } from '../stripe/stripe-id.js';
import type { AccountSync } from '../subscriptions/account-sync.js';
import type { SubscriptionSync } from '../subscriptions/subscription-sync.js';
import type { ChargeRecorder } from './charge-recorder.js';

/** What became of an event; ignored ones may have a reason. */
export interface EventOutcome {
  state: 'handled' | 'ignored';
  reason: string | null;
}

/**
 * Handles each type of event. An event only names an object, whose present state is then fetched from Stripe: the event's own content
 * may be outdated, or in the form of another version of Stripe's. So any order and any number of deliveries end in the same state.
 */
export class EventHandlers {
  constructor(
    private readonly stripe: Stripe,
    private readonly subscriptions: SubscriptionSync,
    private readonly accounts: AccountSync,
    private readonly charges: ChargeRecorder,
  ) {}

  /** What is not in Stripe any more cannot be followed: such an event is ignored, or it would fail for as long as Stripe delivers it. */
  async apply(manager: EntityManager, event: Stripe.Event): Promise<EventOutcome> {
    try {
      return { state: (await this.follow(manager, event)) ? 'handled' : 'ignored', reason: null };
    } catch (error) {
      if (!isMissing(error)) throw error;
      return { state: 'ignored', reason: error.message };
    }
  }

  /** @returns whether this type of event is handled at all */
  private async follow(manager: EntityManager, event: Stripe.Event): Promise<boolean> {
    switch (event.type) {
      case 'checkout.session.completed':
      case 'checkout.session.async_payment_succeeded':
      case 'checkout.session.async_payment_failed':
        await this.followCheckout(manager, event.data.object.id);
        return true;
      case 'customer.subscription.created':
      case 'customer.subscription.updated':
      case 'customer.subscription.deleted':
      case 'customer.subscription.paused':
      case 'customer.subscription.resumed':
        await this.subscriptions.follow(manager, event.data.object.id);
        return true;
      case 'invoice.created':
      case 'invoice.finalized':
      case 'invoice.paid':
      case 'invoice.payment_failed':
      case 'invoice.voided':
      case 'invoice.marked_uncollectible':
        await this.followInvoice(manager, event.data.object);
        return true;
      case 'customer.deleted':
        await this.accounts.forget(manager, event.data.object.id);
        return true;
      case 'charge.refunded':
        await this.charges.record(manager, event.data.object.id);
        return true;
      case 'charge.dispute.created':
        await this.charges.record(manager, idOf(event.data.object.charge));
        return true;
      default:
        return false;
    }
  }

  private async followCheckout(manager: EntityManager, sessionId: string): Promise<void> {
    const session = await this.stripe.checkout.sessions.retrieve(sessionId);
    // A bank debit completes the checkout days before it is paid; until then no balance is opened.
    if (session.mode !== 'subscription' || session.payment_status !== 'paid' || !session.subscription) return;
    await this.subscriptions.follow(manager, idOf(session.subscription));
  }

  private async followInvoice(manager: EntityManager, told: Stripe.Invoice): Promise<void> {
    // An endpoint that was made with a version before 2025 is sent invoices that do not say this of themselves.
    const invoice = 'parent' in told ? told : await this.stripe.invoices.retrieve((told as Stripe.Invoice).id);
    const subscription = subscriptionOf(invoice);
    if (subscription) await this.subscriptions.follow(manager, subscription);
  }
}
