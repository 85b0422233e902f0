import type Stripe from 'stripe';
import type { TestDatabase } from './database.js';

/** A customer of Stripe's, with a card that is good, for somebody of ours. @returns its id */
export async function createCustomer(db: TestDatabase, stripe: Stripe, accountId: string, testClock?: string): Promise<string> {
  const { id } = await stripe.customers.create({
    email: `${accountId}@example.com`,
    metadata: { account_id: accountId },
    ...(testClock && { test_clock: testClock }),
    payment_method: 'pm_card_visa',
    invoice_settings: { default_payment_method: 'pm_card_visa' },
  });
  await db.query('insert into billing_customer (account_id, stripe_customer_id) values ($1, $2)', [accountId, id]);
  return id;
}

/** A token named by its subscription. @returns whether there is one: the balance opens when we know of the subscription */
export async function issueToken(db: TestDatabase, subscriptionId: string): Promise<boolean> {
  const issued = await db.query(
    `select add_token(balance_id, account_id, 'main', sha256(convert_to(id, 'UTF8')), service_now())
       from subscription where id = $1 and balance_id is not null`,
    [subscriptionId],
  );
  return issued.length > 0;
}

/**
 * Reads so many records at once by that token.
 * @returns the decision and the read's entry in the ledger; no decision: there is no such token
 */
export async function readRecords(db: TestDatabase, subscriptionId: string, records: number): Promise<{ id: string; decision?: string }> {
  const [spent] = await db.query<{ id: string; decision: string }>(
    `select decision, entry_id as id
       from token_lookup t, coverage_version v,
            spend(array[t.balance_id], array[t.token_id], array[v.version], array[format('{1,1,%s}', $1::integer)], array[null],
                  array[gen_random_uuid()::text], array[null], array[null]::bytea[], true)
      where t.token_hash = sha256(convert_to($2, 'UTF8'))`,
    [records, subscriptionId],
  );
  await db.query('delete from undelivered_read'); // it was delivered
  return spent ?? { id: '' };
}

export async function takeBackRead(db: TestDatabase, entryId: string): Promise<void> {
  await db.query(`select reverse_entry(balance_id, id, 'never delivered', null) from ledger_entry where id = $1`, [entryId]);
}
