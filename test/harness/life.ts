import type Stripe from 'stripe';
import { findCatalogue } from '../../src/billing/catalogue.js';
import { plans } from '../../src/ledger/plans.js';
import type { TestDatabase } from './database.js';
import { createCustomer, issueToken, readRecords, takeBackRead } from './subscriber.js';
import type { TestClock } from './test-clock.js';

/** Stripe's bill is final an hour after its period; ours are closed a little earlier. */
const closesAfterMs = 50 * 60_000;
/** A last bill that Stripe did not make is made two hours after the end. */
const lastBillAfterMs = 2 * 3600_000;

interface Read {
  id: string;
  records: number;
  /** The end of the period that it was in, in ms since 1970. */
  periodEnd: number;
  /** The end of the period on whose bill it is, in ms since 1970. */
  billedAt: number;
  /** From when on that bill is final. */
  finalFrom: number;
}

/** One subscriber: what was read and taken back, counted by hand, and so what each bill must say. */
export class Life {
  /** Overage by the end of the period on whose bill it is to be, in ms since 1970. */
  private readonly counts = new Map<number, number>();
  /** Records that were read and not taken back, by the end of their period. */
  private readonly delivered = new Map<number, number>();
  private readonly reads: Read[] = [];
  /** Set when it was ended within a period. */
  endedAt: Date | null = null;
  /** Whether Stripe was down when a bill was closed, so that some of its overage may be on the next. */
  hadOutage = false;

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

  /** The same customer subscribes once more. */
  async again(stripe: Stripe, at: Date): Promise<Life> {
    return new Life(this.db, this.accountId, this.customerId, await subscribe(stripe, this.accountId, this.customerId), at);
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
    const [entry] = await this.db.query<{ periodEnd: Date }>(
      `select period_end_after(b.period_anchor, e.period_start) as "periodEnd"
         from ledger_entry e join credit_balance b on b.id = e.balance_id where e.id = $1`,
      [id],
    );
    const billedAt = entry!.periodEnd.getTime();
    const read = { id, records, periodEnd: billedAt, billedAt, finalFrom: billedAt + closesAfterMs };
    this.reads.push(read);
    this.count(billedAt, this.deliver(read, records));
  }

  /** It was ended now, within its period: that is billed by itself. */
  end(now: Date, periodEnd: Date): void {
    this.endedAt = now;
    const billedAt = now.getTime();
    this.counts.set(billedAt, this.counts.get(periodEnd.getTime()) ?? 0);
    this.counts.delete(periodEnd.getTime());
    for (const read of this.reads.filter((one) => one.billedAt === periodEnd.getTime())) {
      Object.assign(read, { billedAt, finalFrom: billedAt + lastBillAfterMs });
    }
  }

  /** Takes one of the reads back, at whatever time it was. @param choice picks one, from 0 up to 1 */
  async takeBack(choice: number, now: Date): Promise<void> {
    const [read] = this.reads.splice(Math.floor(choice * this.reads.length), 1);
    if (!read) return;
    await takeBackRead(this.db, read.id);
    const isFinal = now.getTime() > read.finalFrom;
    this.count(isFinal ? await this.nextBillAt(now) : read.billedAt, this.deliver(read, -read.records));
  }

  /** What differs between the bills and what was counted; null: nothing, to the cent. */
  async differenceOf(stripe: Stripe): Promise<string | null> {
    const invoices = await stripe.invoices.list({ customer: this.customerId, limit: 100 }).autoPagingToArray({ limit: 1000 });
    const billed = new Map<number, number>();
    for (const { lines, total, status, created, parent, metadata } of invoices) {
      if (![parent?.subscription_details?.subscription, metadata?.last_usage_of].includes(this.subscriptionId)) continue;
      if (status !== 'paid') return `a bill is ${status}`;
      let cents = 0;
      for (const { period, quantity } of lines.data) {
        const isOverage = period.end <= created;
        cents += isOverage ? quantity! * 5 : 5900;
        if (isOverage) billed.set(period.end * 1000, (billed.get(period.end * 1000) ?? 0) + quantity!);
      }
      if (cents !== total) return `a bill of ${total} cents should be ${cents}`;
    }
    const expected = [...this.counts].filter(([end]) => Number.isFinite(end));
    const wrong = expected.find(([end, records]) => (billed.get(end) ?? 0) !== Math.max(0, records));
    if (wrong && !this.hadOutage) {
      return `the bill of the period until ${new Date(wrong[0]).toISOString()} has ${billed.get(wrong[0]) ?? 0} records, should have ${Math.max(0, wrong[1])}`;
    }
    const credits = await stripe.customers.listBalanceTransactions(this.customerId, { limit: 100 }).autoPagingToArray({ limit: 1000 });
    const ours = await this.db.query<{ id: string }>(
      'select c.id from billing_credit c join subscription s using (balance_id) where s.id = $1',
      [this.subscriptionId],
    );
    const creditCents = credits
      .filter(({ metadata }) => ours.some(({ id }) => id === metadata?.credit))
      .reduce((sum, { amount }) => sum - amount, 0);
    const paidCents = 5 * [...billed.values()].reduce((sum, records) => sum + records, 0) - creditCents;
    const owedCents = 5 * [...this.counts.values()].reduce((sum, records) => sum + records, 0);
    const [ledger] = await this.db.query<{ cents: number }>(
      `select coalesce(sum(overage_cents), 0)::integer as cents from ledger_entry join subscription using (balance_id) where subscription.id = $1`,
      [this.subscriptionId],
    );
    if (ledger!.cents !== owedCents) return `the ledger says ${ledger!.cents} cents, ${owedCents} were counted by hand`;
    return paidCents === owedCents ? null : `${paidCents} cents of overage were billed and not credited, ${owedCents} are owed`;
  }

  /** @returns by how much there is more overage: what its period delivered beyond the included records */
  private deliver({ periodEnd }: Read, records: number): number {
    const before = this.delivered.get(periodEnd) ?? 0;
    this.delivered.set(periodEnd, before + records);
    return beyondIncluded(before + records) - beyondIncluded(before);
  }

  private count(billedAt: number, records: number): void {
    this.counts.set(billedAt, (this.counts.get(billedAt) ?? 0) + records);
  }

  private async nextBillAt(now: Date): Promise<number> {
    if (this.endedAt) return now.getTime() < this.endedAt.getTime() + lastBillAfterMs ? this.endedAt.getTime() : Number.POSITIVE_INFINITY;
    for (let month = 1; ; month++) {
      const end = await this.periodEnd(month);
      if (end > now) return end.getTime();
    }
  }
}

const beyondIncluded = (records: number): number => Math.max(0, records - plans.paid.includedRecords);

async function subscribe(stripe: Stripe, accountId: string, customer: string): Promise<string> {
  const { plan, overage } = await findCatalogue(stripe);
  const items = [{ price: plan!.id }, { price: overage!.id }];
  return (await stripe.subscriptions.create({ customer, items, metadata: { account_id: accountId } })).id;
}
