import type { Pool } from 'pg';

export interface BillingCustomer {
  stripeCustomerId: string;
  checkoutSessionId: string | null;
}

/** Who an account is to Stripe, and the checkout it last began. */
export class CustomerStore {
  constructor(private readonly pool: Pool) {}

  async find(accountId: string): Promise<BillingCustomer | null> {
    const { rows } = await this.pool.query<BillingCustomer>(
      `select stripe_customer_id as "stripeCustomerId", checkout_session_id as "checkoutSessionId"
         from billing_customer where account_id = $1`,
      [accountId],
    );
    return rows[0] ?? null;
  }

  /** The first one stays, whoever comes second. */
  async add(accountId: string, stripeCustomerId: string): Promise<BillingCustomer> {
    await this.pool.query(
      'insert into billing_customer (account_id, stripe_customer_id) values ($1, $2) on conflict (account_id) do nothing',
      [accountId, stripeCustomerId],
    );
    return (await this.find(accountId))!;
  }

  async rememberCheckout(accountId: string, sessionId: string): Promise<void> {
    await this.pool.query('update billing_customer set checkout_session_id = $2 where account_id = $1', [accountId, sessionId]);
  }
}
