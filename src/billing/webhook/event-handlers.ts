import type Stripe from 'stripe';
import type { EntityManager } from 'typeorm';
import { subscriptionOf } from '../stripe/invoices.js';
import { idOf } from '../stripe/stripe-client.js';
import { isMissing } from '../stripe/stripe-errors.js';
import type { AccountSync } from '../subscriptions/account-sync.js';
import type { SubscriptionSync } from '../subscriptions/subscription-sync.js';
import { accountOfCustomer } from '../subscriptions/subscription-sync.store.js';

/** What the webhook endpoint must send. */
export const handledEventTypes = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'customer.subscription.paused',
  'customer.subscription.resumed',
  'invoice.created',
  'invoice.finalized',
  'invoice.paid',
  'invoice.payment_failed',
  'invoice.voided',
  'invoice.marked_uncollectible',
  'customer.deleted',
  'charge.refunded',
  'charge.dispute.created',
] as const satisfies Stripe.Event['type'][];

type HandledEvent = Extract<Stripe.Event, { type: (typeof handledEventTypes)[number] }>;

const isHandled = (event: Stripe.Event): event is HandledEvent => handledEventTypes.some((type) => type === event.type);

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
    if (!isHandled(event)) return false;
    switch (event.type) {
      case 'checkout.session.completed':
      case 'checkout.session.async_payment_succeeded':
      case 'checkout.session.async_payment_failed':
        await this.subscriptions.followCheckout(manager, await this.stripe.checkout.sessions.retrieve(event.data.object.id));
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
        await this.recordCharge(manager, event.data.object.id);
        return true;
      case 'charge.dispute.created':
        await this.recordCharge(manager, idOf(event.data.object.charge));
        return true;
    }
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
