import Stripe from 'stripe';
import { findCatalogue } from '../../src/billing/stripe/catalogue.js';
import { dayMs, hourMs, minuteMs, Situation } from '../harness/situation.js';
import { type FaultKind, randomFrom } from '../stripe/faults.js';
import { beginIdsAnew } from '../stripe/world.js';
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

// Around the moments when a bill changes: a draft is made at the end of a period, its last reads can be taken back for some minutes, and
// Stripe makes it final after an hour. Without a draft there is a bill of our own after three days.
const minutesAroundEnd = [-3, 0, 1, 4, 10, 48, 59, 61, 65, 119, 200, 4319, 4330];
const allFaults: FaultKind[] = ['lost', 'error', 'failed', 'down', 'busy', 'locked', 'late'];
const billing = /POST .*(balance_transactions|invoices|invoiceitems|finalize)/;
const calls = /POST .*(balance_transactions|invoices|invoiceitems|finalize)|DELETE .*invoiceitems|GET /;

/** Some customers of one service and one Stripe, where anything may happen next. */
export class Walk {
  private readonly walkers: Walker[] = [];
  private readonly random: () => number;

  private constructor(
    private readonly settings: WalkSettings,
    private readonly situation: Situation,
  ) {
    this.random = randomFrom(settings.seed);
    // How long the service waits before it tries again.
    Math.random = randomFrom(settings.seed + 1);
  }

  static async begin(settings: WalkSettings): Promise<Walk> {
    beginIdsAnew();
    const situation = await Situation.open();
    // The other end of dunning, `unpaid`, is the known exception: it leaves bills that nobody collects.
    situation.stripe.world.dunningEnds = 'canceled';
    situation.stripe.world.endingStopsDrafts = settings.seed % 3 === 0;
    const walk = new Walk(settings, situation);
    const { plan } = await findCatalogue(situation.api);
    const parts = { situation, prices: [plan!], random: walk.random, follow: (id: string) => walk.follow(id), ...settings };
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
    // What was ended has its last bill within days, and what runs on within two months.
    await this.situation.pass(30 * hourMs, hourMs);
    await this.situation.pass(64 * dayMs, dayMs);
    await this.situation.pass(6 * hourMs, hourMs);
  }

  /** The faults at the end, with what is needed to see them again. */
  async differences(): Promise<string[]> {
    const wrong = await this.situation.differences();
    for (const walker of this.walkers) {
      const difference = await walker.difference();
      if (difference) wrong.push(difference);
    }
    return wrong.map((difference) => `seed ${this.settings.seed}, ${difference}`);
  }

  /** All that has happened, the same for the same seed. */
  get course(): string[] {
    return this.walkers.flatMap(({ steps }) => steps);
  }

  private async passSomeTime(): Promise<void> {
    const { random, walkers, situation } = this;
    const { isDense } = this.settings;
    const now = situation.now.getTime();
    const jump = random();
    if (jump < (isDense ? 0.1 : 0.25)) {
      const around = isDense ? [-60, ...minutesAroundEnd] : minutesAroundEnd;
      const moments = walkers.flatMap(({ endsAt }) => endsAt.flatMap((end) => around.map((minutes) => end + minutes * minuteMs)));
      const next = moments.filter((at) => at > now).sort((a, b) => a - b);
      if (next.length > 0) await situation.later(pick(random, next.slice(0, 12)) - now);
    } else {
      const sparse = [1, 1, 2, 6, 6, 20, 20, 65, 300, jump < 0.3 ? 3000 : 10];
      await situation.later(pick(random, isDense ? [1, 1, 2, 6, 6, 10, 20, 40, 65] : sparse) * minuteMs);
    }
  }

  /** Pieces of the service's own work, in any order. */
  private async workSome(): Promise<void> {
    const { random } = this;
    const { background } = this.situation;
    const pieces = Math.floor(random() * (this.settings.isDense ? 3 : 5));
    for (let piece = 0; piece < pieces; piece++) {
      const kind = random();
      if (kind < 0.7) await background.runNext();
      else if (kind < 0.95) await background.work();
      else await background.crash(Math.floor(random() * 8));
    }
  }

  /** @returns whether Stripe has answered */
  private async follow(subscriptionId: string): Promise<boolean> {
    try {
      await this.situation.background.follow(subscriptionId);
      return true;
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeError)) throw error;
      return false;
    }
  }

  /** away: nothing comes onto a bill. lost: all does, but not the answers. */
  private setWeather(weather: 'clear' | 'rough' | 'away' | 'lost'): void {
    const { faults } = this.situation.stripe;
    const { seed } = this.settings;
    faults.clear();
    if (weather === 'away') faults.scatter(['failed'], 1, billing, seed);
    if (weather === 'lost') faults.scatter(['lost'], 1, billing, seed);
    if (weather === 'rough') faults.scatter(allFaults, 0.3, calls, seed);
  }
}
