import type Stripe from 'stripe';
import { findCatalogue } from '../../src/billing/stripe/catalogue.js';
import type { TestDatabase } from './database.js';
import { createCustomer, issueToken, readRecords, takeBackRead } from './subscriber.js';
import type { TestClock } from './test-clock.js';

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
  static async begin(db: TestDatabase, stripe: Stripe, clock: TestClock, accountId: string, at: Date): Promise<Life> {
    const customerId = await createCustomer(db, stripe, accountId, clock.id);
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
