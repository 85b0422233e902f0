import Stripe from 'stripe';
import { findCatalogue } from '../../src/billing/catalogue.js';
import { AppError } from '../../src/core/errors.js';
import { type FaultKind, randomFrom } from '../stripe/faults.js';
import { Background } from './background.js';
import { differences } from './differences.js';
import { PaidService } from './paid-service.js';
import { publishRecords } from './records.js';
import { pick, Walker } from './walker.js';

export interface WalkSettings {
  seed: number;
  customers: number;
  steps: number;
  /** Time passes in smaller steps, so that more happens while bills are made. */
  isDense: boolean;
  /** Cards are refused at times. */
  hasBadCards: boolean;
  /** How many of Stripe's events reach us, from 0 to 1. */
  followedShare: number;
}

const minuteMs = 60_000;
// Around the moments when a bill changes: it is made at the end of a period, ours are closed 50 minutes later and Stripe's is final after an
// hour; a last bill of ours is made two hours after the end, and waits for what is still under way.
const minutesAroundEnd = [-3, 0, 1, 10, 48, 52, 59, 61, 119, 121, 168, 171, 200];
const allFaults: FaultKind[] = ['lost', 'error', 'failed', 'down', 'busy'];
const reports = /POST .*meter_events/;
const calls = /POST .*(meter_events|balance_transactions|invoices|invoiceitems|finalize)|GET /;

/** Some customers of one service and one Stripe, where anything may happen next. */
export class Walk {
  private readonly walkers: Walker[] = [];
  private readonly random: () => number;
  private now = new Date('2027-01-31T10:00:00Z');

  private constructor(
    private readonly settings: WalkSettings,
    private readonly service: PaidService,
    private readonly background: Background,
  ) {
    this.random = randomFrom(settings.seed);
  }

  static async begin(settings: WalkSettings): Promise<Walk> {
    const service = await PaidService.open();
    await publishRecords(service.db, '25017', 4000);
    // The other end of dunning, `unpaid`, is the known exception: it leaves bills that nobody collects.
    service.stripe.world.dunningEnds = 'canceled';
    const walk = new Walk(settings, service, await Background.open(service.config));
    await walk.pass(0);
    const { random, background } = walk;
    const { plan, overage } = await findCatalogue(background.stripe);
    const parts = { service, background, prices: [plan!, overage!], random, follow: (id: string) => walk.follow(id), ...settings };
    for (let i = 0; i < settings.customers; i++) walk.walkers.push(await Walker.begin(parts, `account-${i}`));
    return walk;
  }

  /** Takes all steps. */
  async go(): Promise<void> {
    const { random, walkers } = this;
    for (let step = 0; step < this.settings.steps; step++) {
      await this.passSomeTime();
      if (random() < 0.2) this.setWeather(pick(random, ['clear', 'rough', 'away', 'lost', 'clear']));
      for (let act = 0; act < 3; act++) await pick(random, walkers).act();
      await this.workSome();
    }
  }

  /** The weather clears, everybody leaves, and time passes until nothing of it is to be billed or given back any more. */
  async end(): Promise<void> {
    this.setWeather('clear');
    for (const walker of this.walkers) walker.leave();
    // What was ended has its last bill within hours, and what runs on within a month; credits follow their bills.
    for (const [times, minutes] of [
      [60, 30],
      [72, 12 * 60],
      [6, 60],
    ] as const) {
      for (let time = 0; time < times; time++) {
        await this.pass(minutes * minuteMs);
        await this.workUntilIdle();
      }
    }
  }

  /** What is wrong in the end, with what is needed to see it again. */
  async differences(): Promise<string[]> {
    const wrong = await differences([], this.background.stripe, this.service.config);
    for (const walker of this.walkers) {
      const difference = await walker.difference();
      if (difference) wrong.push(difference);
    }
    return wrong.map((difference) => `seed ${this.settings.seed}, ${difference}`);
  }

  private async passSomeTime(): Promise<void> {
    const { random, walkers } = this;
    const { isDense } = this.settings;
    const jump = random();
    if (jump < (isDense ? 0.1 : 0.25)) {
      const around = isDense ? [-60, ...minutesAroundEnd] : minutesAroundEnd;
      const moments = walkers.flatMap(({ endsAt }) => endsAt.flatMap((end) => around.map((minutes) => end + minutes * minuteMs)));
      const next = moments.filter((at) => at > this.now.getTime()).sort((a, b) => a - b);
      if (next.length > 0) await this.pass(pick(random, next.slice(0, 12)) - this.now.getTime());
    } else {
      const sparse = [1, 1, 2, 6, 6, 20, 20, 65, 300, jump < 0.3 ? 3000 : 10];
      await this.pass(pick(random, isDense ? [1, 1, 2, 6, 6, 10, 20, 40, 65] : sparse) * minuteMs);
    }
  }

  /** Pieces of the service's own work, in any order. */
  private async workSome(): Promise<void> {
    const { random, background } = this;
    const pieces = Math.floor(random() * (this.settings.isDense ? 3 : 5));
    if (random() < 0.05) await this.decideFailed();
    if (random() < 0.03) await this.giveUpOnAnEvent();
    for (let piece = 0; piece < pieces; piece++) {
      const kind = random();
      if (kind < 0.45) await background.reportDue();
      else if (kind < 0.7) await background.giveDue();
      else if (kind < 0.95) await background.followDue();
      else await background.crash(2);
    }
  }

  private async workUntilIdle(): Promise<void> {
    const { background } = this;
    let work: boolean[];
    do work = [await background.reportDue(), await background.followDue(), await background.giveDue()];
    while (work.includes(true));
    await this.decideFailed();
  }

  /** As after a refusal of Stripe's. It may have arrived by an earlier attempt, so an operator is to find out. */
  private async giveUpOnAnEvent(): Promise<void> {
    await this.service.db.query(
      `update meter_event set state = 'failed' where identifier =
         (select identifier from meter_event where state = 'waiting' and attempts > 0 order by identifier limit 1)`,
    );
  }

  /** An operator looks for what failed in Stripe's dashboard. */
  private async decideFailed(): Promise<void> {
    const failed = await this.service.db.query<{ id: string }>(`select identifier as id from meter_event where state = 'failed'`);
    for (const { id } of failed) {
      await this.background.resolve(id, this.service.stripe.world.usage.has(id)).catch((error: unknown) => {
        // Another of the customer's is under way: later.
        if (!(error instanceof AppError)) throw error;
      });
    }
  }

  /** @returns whether Stripe has answered */
  private async follow(subscriptionId: string): Promise<boolean> {
    try {
      await this.background.follow(subscriptionId);
      return true;
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeError)) throw error;
      return false;
    }
  }

  /** away: no report reaches the meter. lost: each does, but not its answer. */
  private setWeather(weather: 'clear' | 'rough' | 'away' | 'lost'): void {
    const { faults } = this.service.stripe;
    const { seed } = this.settings;
    faults.clear();
    if (weather === 'away') faults.scatter(['failed'], 1, reports, seed);
    if (weather === 'lost') faults.scatter(['lost'], 1, reports, seed);
    if (weather === 'rough') faults.scatter(allFaults, 0.3, calls, seed);
  }

  private async pass(ms: number): Promise<void> {
    this.now = new Date(Math.floor((this.now.getTime() + ms) / 1000) * 1000);
    await this.service.setClock(this.now);
  }
}
