import type Stripe from 'stripe';
import { findCatalogue } from '../../src/billing/stripe/catalogue.js';
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

/** One subscription of somebody, who reads and whose reads are taken back. */
export class Life {
  /** Entries of reads that are not taken back, oldest first. */
  private readonly reads: string[] = [];

  private constructor(
    private readonly db: TestDatabase,
    readonly accountId: string,
    readonly customerId: string,
    readonly subscriptionId: string,
    readonly startedAt: Date,
  ) {}

  /** Somebody subscribes, and pays by a card that is good. */
  static async begin(db: TestDatabase, stripe: Stripe, testClock: string, accountId: string, at: Date): Promise<Life> {
    const customerId = await createCustomer(db, stripe, accountId, testClock);
    return new Life(db, accountId, customerId, await subscribe(stripe, accountId, customerId), at);
  }

  /** The same customer subscribes once more, or has been given another subscription in the dashboard. */
  async again(stripe: Stripe, at: Date, subscriptionId?: string): Promise<Life> {
    const id = subscriptionId ?? (await subscribe(stripe, this.accountId, this.customerId));
    return new Life(this.db, this.accountId, this.customerId, id, at);
  }

  /** Once its balance is open. */
  async issueToken(): Promise<void> {
    await issueToken(this.db, this.subscriptionId);
  }

  /** The end of the period number `month`, from 1. */
  async periodEnd(month: number): Promise<Date> {
    const [row] = await this.db.query<{ end: Date }>('select period_boundary($1, $2) as end', [this.startedAt, month]);
    return row!.end;
  }

  async read(records: number): Promise<void> {
    const { id, decision } = await readRecords(this.db, this.subscriptionId, records);
    if (decision !== 'granted') throw new Error(`${this.accountId} was ${decision}`);
    this.reads.push(id);
  }

  /** Takes one of the reads back, at whatever time it was. @param choice picks one, from 0 up to 1 */
  async takeBack(choice: number): Promise<void> {
    const [read] = this.reads.splice(Math.floor(choice * this.reads.length), 1);
    if (read) await takeBackRead(this.db, read);
  }
}

async function subscribe(stripe: Stripe, accountId: string, customer: string): Promise<string> {
  const { plan } = await findCatalogue(stripe);
  return (await stripe.subscriptions.create({ customer, items: [{ price: plan!.id }], metadata: { account_id: accountId } })).id;
}
