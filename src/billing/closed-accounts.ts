import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type Stripe from 'stripe';
import { inTransaction } from '../database/transaction.js';
import type { SubscriptionSync } from './subscription-sync.js';

/** Ends the subscriptions of people who deleted their account: nobody is charged for what they can no longer use or cancel. */
export class ClosedAccounts {
  constructor(
    private readonly stripe: Stripe,
    private readonly sync: SubscriptionSync,
    private readonly pool: Pool,
    private readonly log: Logger,
  ) {}

  async endSubscriptions(): Promise<void> {
    for (const id of await this.orphans()) {
      const { status } = await this.stripe.subscriptions.retrieve(id);
      // The last overage is billed, the rest of the paid month is not given back.
      if (status !== 'canceled') await this.stripe.subscriptions.cancel(id, { invoice_now: true, prorate: false });
      await inTransaction(this.pool, (tx) => this.sync.follow(tx, id));
      this.log.info({ subscription: id }, 'ended the subscription of a deleted account');
    }
  }

  /** Stripe needs some minutes to add up the overage that it was told last. */
  private async orphans(): Promise<string[]> {
    const { rows } = await this.pool.query<{ id: string }>(
      `select s.id
         from subscription s
         join auth."user" u on u.id = s.account_id
        where u."deletedAt" < service_now() - interval '10 minutes'
          and s.status not in ('canceled', 'incomplete_expired')
          and not exists (select from overage_report r where r.balance_id = s.balance_id and r.state = 'waiting')`,
    );
    return rows.map(({ id }) => id);
  }
}
