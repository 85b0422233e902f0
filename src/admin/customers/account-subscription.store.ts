import type { Pool } from 'pg';
import type { AccountSubscription } from './account-subscription.js';

export class AccountSubscriptionStore {
  constructor(private readonly pool: Pool) {}

  /** The subscriptions of an account, newest first. */
  async ofAccount(accountId: string): Promise<AccountSubscription[]> {
    const { rows } = await this.pool.query<AccountSubscription>(
      `select s.id, s.stripe_customer_id as "stripeCustomerId", s.status, s.period_start as "periodStart", s.period_end as "periodEnd",
              s.ends_at as "endsAt", b.overage_cap as "overageCap"
         from subscription s left join credit_balance b on b.id = s.balance_id
        where s.account_id = $1
        order by s.created_at desc, s.id limit 20`,
      [accountId],
    );
    return rows;
  }
}
