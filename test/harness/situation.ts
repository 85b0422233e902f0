import { setTimeout as sleep } from 'node:timers/promises';
import Stripe from 'stripe';
import { plans } from '../../src/ledger/plans.js';
import type { StripeStandIn } from '../stripe/stand-in.js';
import type { Background } from './background.js';
import { auditDifferences, inequality } from './differences.js';
import { Life } from './life.js';
import { PaidService } from './paid-service.js';
import { publishRecords } from './records.js';

export const [minuteMs, hourMs, dayMs] = [60_000, 3600_000, 24 * 3600_000];
/** A month end, so that periods are of 28 to 31 days. */
export const startsAt = new Date('2027-01-31T10:00:00Z');

const { priceCents, overageUnitCents, includedRecords } = plans.paid;

const pollMs = 2_000;

/** Subscribers of one service and one Stripe, to whom only happens what a test makes happen; the service's own work is done when it says so. */
export class Situation {
  readonly all: Life[] = [];
  now = new Date(0);
  /** The subscriber whom a test is about, where there is one. */
  life!: Life;

  private constructor(
    readonly service: PaidService,
    readonly background: Background,
    /** A clock of Stripe's test mode, by which its customers live. */
    private readonly clockId: string,
  ) {}

  /** With a county to read, and nobody yet. */
  static async open(settings: Record<string, string> = {}, at = startsAt): Promise<Situation> {
    const service = await PaidService.open(settings);
    service.stripe.world.areEventsListed = true;
    await publishRecords(service.db, '25017', includedRecords);
    const background = await service.background;
    const clock = { frozen_time: at.getTime() / 1000, name: 'Parcel Records lives' };
    const { id } = await background.stripe.testHelpers.testClocks.create(clock);
    const situation = new Situation(service, background, id);
    await situation.setServiceClock(at);
    return situation;
  }

  /** With a subscriber who has read all included records. */
  static async withReader(settings: Record<string, string> = {}): Promise<Situation> {
    const situation = await Situation.open(settings);
    situation.life = await situation.begin('one');
    await situation.life.read(includedRecords);
    return situation;
  }

  /** Stripe as the service calls it. */
  get api(): Stripe {
    return this.background.stripe;
  }

  /** Everybody leaves, and time passes until all bills are final. */
  async leave(): Promise<void> {
    await this.work();
    for (const { subscriptionId } of this.all) {
      const { ended_at } = await this.api.subscriptions.retrieve(subscriptionId);
      if (ended_at === null) await this.api.subscriptions.update(subscriptionId, { cancel_at_period_end: true });
    }
    for (const hours of [31 * 24, 1, 1, 1, 25, 1, 1]) {
      await this.passTimeUntil(new Date(this.now.getTime() + hours * hourMs));
      for (const life of this.all) await this.follow(life);
      await this.work();
    }
  }

  /** The faults at the end. */
  async differences(): Promise<string[]> {
    const { db, config } = this.service;
    const wrong: string[] = [];
    for (const customer of new Set(this.all.map(({ customerId }) => customerId))) {
      const difference = await inequality(db, this.api, customer);
      if (difference) wrong.push(`${customer}: ${difference}`);
    }
    return [...wrong, ...(await auditDifferences(config, this.background.pool))];
  }

  /** Somebody subscribes now. */
  async begin(accountId: string): Promise<Life> {
    return this.open(await Life.begin(this.service.db, this.api, this.clockId, accountId, this.now));
  }

  /** Somebody whose subscription has ended subscribes once more. */
  async beginAgain(life: Life): Promise<Life> {
    return this.open(await untilDone(() => life.again(this.api, this.now)));
  }

  private async open(life: Life): Promise<Life> {
    await this.follow(life);
    await life.issueToken();
    this.all.push(life);
    return life;
  }

  async cancel(life: Life): Promise<void> {
    await this.api.subscriptions.update(life.subscriptionId, { cancel_at_period_end: true });
    await this.follow(life);
  }

  /** Somebody ends it in Stripe's dashboard, within its period. */
  async endAtOnce(life: Life): Promise<void> {
    await this.api.subscriptions.cancel(life.subscriptionId);
    await this.follow(life);
  }

  /** Runs the service's own work of this moment. */
  work(): Promise<void> {
    return this.background.work();
  }

  /** As its events would have us do, or the comparison every few hours. */
  async follow({ subscriptionId }: Pick<Life, 'subscriptionId'>): Promise<void> {
    await untilDone(() => this.background.follow(subscriptionId));
  }

  /** Returns when all that was due until then has happened. */
  async passTimeUntil(at: Date): Promise<void> {
    if (at <= this.now) return;
    const { testClocks } = this.api.testHelpers;
    let clock: Stripe.TestHelpers.TestClock = await testClocks.advance(this.clockId, { frozen_time: Math.floor(at.getTime() / 1000) });
    while (clock.status === 'advancing') {
      await sleep(pollMs);
      clock = await testClocks.retrieve(this.clockId);
    }
    if (clock.status !== 'ready') throw new Error(`the test clock is in ${clock.status}`);
    await this.setServiceClock(at);
  }

  get stripe(): StripeStandIn {
    return this.service.stripe;
  }

  /** Asks like the console for this subscriber. */
  console() {
    return this.background.as(this.life.accountId);
  }

  async read(...amounts: number[]): Promise<void> {
    for (const records of amounts) await this.life.read(records);
  }

  later(ms: number): Promise<void> {
    return this.passTimeUntil(new Date(this.now.getTime() + ms));
  }

  /** Passes time in steps; the service works at each. */
  async pass(ms: number, stepMs = 10 * minuteMs): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) {
      await this.later(Math.min(stepMs, ms - passed));
      await this.work();
    }
  }

  /** @param ms so long after the end of period number `month`, from 1 */
  async endPeriod(month = 1, ms = 0): Promise<void> {
    await this.passTimeUntil(new Date((await this.life.periodEnd(month)).getTime() + ms));
  }

  /** Passes the end of a period, and the hour of its draft. */
  async renew(month = 1): Promise<void> {
    await this.endPeriod(month);
    await this.pass(3 * hourMs);
  }

  /** Somebody ends it in Stripe's dashboard, and time passes. */
  async end(ms = 2 * hourMs): Promise<void> {
    await this.endAtOnce(this.life);
    await this.pass(ms, ms > dayMs ? 6 * hourMs : undefined);
  }

  /** As events of subscriptions would have us do. */
  async hear(...ids: string[]): Promise<void> {
    for (const subscriptionId of ids.length > 0 ? ids : [this.life.subscriptionId]) await this.follow({ subscriptionId });
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
    await this.leave();
    return this.differences();
  }

  private async setServiceClock(at: Date): Promise<void> {
    this.now = at;
    await this.service.db.setClock(at);
  }
}

/** The service tries again later what failed, too. */
async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeError)) throw error;
    }
  }
}
