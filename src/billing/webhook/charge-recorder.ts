import type Stripe from 'stripe';
import type { EntityManager } from 'typeorm';
import { idOf } from '../stripe/stripe-id.js';
import { accountOfCustomer } from '../subscriptions/subscription-sync.store.js';

/**
 * Stores refunds and disputes for operators. They do not stop tokens: if Stripe or an operator ends the subscription for them, that
 * is an event of its own.
 */
export class ChargeRecorder {
  constructor(private readonly stripe: Stripe) {}

  async record(manager: EntityManager, chargeId: string): Promise<void> {
    const charge = await this.stripe.charges.retrieve(chargeId);
    const accountId = charge.customer && (await accountOfCustomer(manager, idOf(charge.customer)));
    if (!accountId) return;
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
