import type { Pool } from 'pg';
import type Stripe from 'stripe';
import { inTransaction } from '../../database/statement-runner.js';
import { followSoon } from '../billing-jobs.js';
import { subscriptionOf } from '../stripe/invoices.js';

/** Whether one of a customer's overage invoices is not paid yet. Until it is, there is no further one within the period. */
export async function owesOverage(pool: Pool, stripeCustomerId: string): Promise<boolean> {
  const { rows } = await pool.query('select from subscription where stripe_customer_id = $1 and unpaid_bill is not null', [
    stripeCustomerId,
  ]);
  return rows.length > 0;
}

/** Stores an overage invoice that is not paid yet, and looks at it once more: its events may have come already. */
export function setUnpaidBill(pool: Pool, bill: Stripe.Invoice): Promise<void> {
  return inTransaction(pool, 'begin', async (db) => {
    const { rows } = await db.query<{ accountId: string }>(
      'update subscription set unpaid_bill = $2 where id = $1 returning account_id as "accountId"',
      [subscriptionOf(bill), bill.hosted_invoice_url ?? bill.id],
    );
    for (const { accountId } of rows) await followSoon(db, accountId);
  });
}
