import type Stripe from 'stripe';
import type { EntityManager } from 'typeorm';
import { subscriptionOf } from '../stripe/invoices.js';
import { idOf } from '../stripe/stripe-client.js';
import { isMissing } from '../stripe/stripe-errors.js';
import type { AccountSync } from '../subscriptions/account-sync.js';
import type { SubscriptionSync } from '../subscriptions/subscription-sync.js';
import { accountOfCustomer } from '../subscriptions/subscription-sync.store.js';

/** The events that the webhook endpoint must send, and the object that each makes us fetch. */
const followedOf = {
  'checkout.session.completed': 'checkout',
  'checkout.session.async_payment_succeeded': 'checkout',
  'checkout.session.async_payment_failed': 'checkout',
  'customer.subscription.created': 'subscription',
  'customer.subscription.updated': 'subscription',
  'customer.subscription.deleted': 'subscription',
  'customer.subscription.paused': 'subscription',
  'customer.subscription.resumed': 'subscription',
  'invoice.created': 'invoice',
  'invoice.finalized': 'invoice',
  'invoice.paid': 'invoice',
  'invoice.payment_failed': 'invoice',
  'invoice.voided': 'invoice',
  'invoice.marked_uncollectible': 'invoice',
  'customer.deleted': 'deleted customer',
  'charge.refunded': 'charge',
  'charge.dispute.created': 'dispute',
} as const satisfies Partial<Record<Stripe.Event['type'], string>>;

export const handledEventTypes = Object.keys(followedOf) as (keyof typeof followedOf)[];

/** An event's outcome; ignored ones may have a reason. */
export interface EventOutcome {
  state: 'handled' | 'ignored';
  reason: string | null;
}

/**
 * Handles each type of event. Only the object's id is used, and its present state fetched: the event's content may be outdated or of another
 * API version. So any order and number of deliveries end in the same state.
 */
export class EventHandlers {
  constructor(
    private readonly stripe: Stripe,
    private readonly subscriptions: SubscriptionSync,
    private readonly accounts: AccountSync,
  ) {}

  /** An event whose object no longer exists in Stripe is ignored: otherwise it would fail at each delivery. */
  async apply(manager: EntityManager, event: Stripe.Event): Promise<EventOutcome> {
    try {
      return { state: (await this.follow(manager, event)) ? 'handled' : 'ignored', reason: null };
    } catch (error) {
      if (!isMissing(error)) throw error;
      return { state: 'ignored', reason: error.message };
    }
  }

  /** @returns whether this type of event is handled */
  private async follow(manager: EntityManager, event: Stripe.Event): Promise<boolean> {
    const type = handledEventTypes.find((handled) => handled === event.type);
    if (!type) return false;
    const object = event.data.object as { id: string };
    const { stripe, subscriptions, accounts } = this;
    switch (followedOf[type]) {
      case 'checkout':
        await subscriptions.followCheckout(manager, await stripe.checkout.sessions.retrieve(object.id));
        break;
      case 'subscription':
        await subscriptions.follow(manager, object.id);
        break;
      case 'invoice':
        await this.followInvoice(manager, object as Stripe.Invoice);
        break;
      case 'deleted customer':
        await accounts.forget(manager, object.id);
        break;
      case 'charge':
        await this.recordCharge(manager, object.id);
        break;
      case 'dispute':
        await this.recordCharge(manager, idOf((object as Stripe.Dispute).charge));
    }
    return true;
  }

  private async followInvoice(manager: EntityManager, received: Stripe.Invoice): Promise<void> {
    // An endpoint with an API version before 2025 receives invoices without `parent`.
    const invoice = 'parent' in received ? received : await this.stripe.invoices.retrieve((received as Stripe.Invoice).id);
    const subscription = subscriptionOf(invoice);
    if (subscription) await this.subscriptions.follow(manager, subscription);
  }

  /**
   * Stores refunds and disputes for operators. They do not stop tokens: if Stripe or an operator ends the subscription for them, that is an
   * event of its own.
   */
  private async recordCharge(manager: EntityManager, chargeId: string): Promise<void> {
    const charge = await this.stripe.charges.retrieve(chargeId);
    const accountId = charge.customer && (await accountOfCustomer(manager, idOf(charge.customer)));
    if (!accountId) return;
    // One statement: neither a refund nor a dispute may undo the other's fact.
    await manager.query(
      `insert into billing_charge as c (id, account_id, amount_cents, refunded_cents, is_disputed, created_at)
       values ($1, $2, $3, $4, $5, to_timestamp($6))
       on conflict (id) do update
          set refunded_cents = greatest(c.refunded_cents, excluded.refunded_cents),
              is_disputed = c.is_disputed or excluded.is_disputed`,
      [charge.id, accountId, charge.amount, charge.amount_refunded, charge.disputed, charge.created],
    );
  }
}
