import type { Pool } from 'pg';
import { usd } from '../../ledger/money.js';
import type { AccountCharge, AccountSubscription } from './account-billing.js';

type ChargeRow = Omit<AccountCharge, 'amountUsd' | 'refundedUsd'> & { amountCents: string; refundedCents: string };

/** An account's payments and subscriptions, for operators. */
export class AccountBillingStore {
  constructor(private readonly pool: Pool) {}

  /** The payments of an account that were refunded or disputed, newest first. */
  async charges(accountId: string): Promise<AccountCharge[]> {
    const { rows } = await this.pool.query<ChargeRow>(
      `select id, amount_cents as "amountCents", refunded_cents as "refundedCents", is_disputed as "isDisputed", created_at as "createdAt"
         from billing_charge
        where account_id = $1
        order by created_at desc, id limit 20`,
      [accountId],
    );
    return rows.map(({ amountCents, refundedCents, ...charge }) => ({
      ...charge,
      amountUsd: usd(BigInt(amountCents)),
      refundedUsd: usd(BigInt(refundedCents)),
    }));
  }

  /** The subscriptions of an account, newest first. */
  async subscriptions(accountId: string): Promise<AccountSubscription[]> {
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
