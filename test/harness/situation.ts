import type Stripe from 'stripe';
import { plans } from '../../src/ledger/plans.js';
import type { StripeStandIn } from '../stripe/stand-in.js';
import type { Life } from './life.js';
import { Lives } from './lives.js';
import type { PaidService } from './paid-service.js';

export const [minuteMs, hourMs, dayMs] = [60_000, 3600_000, 24 * 3600_000];
/** A month end, so that periods are of 28 to 31 days. */
export const startsAt = new Date('2027-01-31T10:00:00Z');
const { priceCents, overageUnitCents, includedRecords } = plans.paid;

/** A subscriber who has read all included records, on a service and a Stripe of their own, where only happens what a test makes happen. */
export class Situation {
  private constructor(
    readonly service: PaidService,
    readonly lives: Lives,
    public life: Life,
  ) {}

  static async open(settings: Record<string, string> = {}): Promise<Situation> {
    const lives = await Lives.open(startsAt, settings);
    const life = await lives.begin('one');
    await life.read(includedRecords);
    return new Situation(lives.service, lives, life);
  }

  get stripe(): StripeStandIn {
    return this.service.stripe;
  }

  /** Asks like the console for this subscriber. */
  async console() {
    return (await this.service.background).as(this.life.accountId);
  }

  async read(...amounts: number[]): Promise<void> {
    for (const records of amounts) await this.life.read(records);
  }

  later(ms: number): Promise<void> {
    return this.lives.passTimeUntil(new Date(this.lives.now.getTime() + ms));
  }

  /** Passes time in steps; the service works at each. */
  async pass(ms: number, stepMs = 10 * minuteMs): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) {
      await this.later(Math.min(stepMs, ms - passed));
      await this.lives.work();
    }
  }

  /** @param ms so long after the end of period number `month`, from 1 */
  async endPeriod(month = 1, ms = 0): Promise<void> {
    await this.lives.passTimeUntil(new Date((await this.life.periodEnd(month)).getTime() + ms));
  }

  /** Passes the end of a period, and the hour of its draft. */
  async renew(month = 1): Promise<void> {
    await this.endPeriod(month);
    await this.pass(3 * hourMs);
  }

  /** Somebody ends it in Stripe's dashboard, and time passes. */
  async end(ms = 2 * hourMs): Promise<void> {
    await this.lives.endAtOnce(this.life);
    await this.pass(ms, ms > dayMs ? 6 * hourMs : undefined);
  }

  /** As events of subscriptions would have us do. */
  async hear(...ids: string[]): Promise<void> {
    for (const subscriptionId of ids.length > 0 ? ids : [this.life.subscriptionId]) await this.lives.follow({ subscriptionId });
  }

  bills(): Stripe.Invoice[] {
    return this.stripe.billsOf(this.life.customerId);
  }

  totals(): number[] {
    return this.bills().map(({ total }) => total);
  }

  /** Overage records on each bill. */
  overage(): number[] {
    return this.totals().map((total) => (total % priceCents) / overageUnitCents);
  }

  /** Bills of our own. */
  ownBills(): Stripe.Invoice[] {
    return this.bills().filter(({ metadata }) => metadata?.overage_bill);
  }

  credits(): number[] {
    return this.stripe.world.balanceTransactions.all().map(({ amount }) => amount);
  }

  /** Everybody leaves. @returns what is wrong once all that is due has been billed */
  async differencesAtEnd(): Promise<string[]> {
    await this.lives.leave();
    return this.lives.differences();
  }
}
