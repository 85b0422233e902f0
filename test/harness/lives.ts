import Stripe from 'stripe';
import { plans } from '../../src/ledger/plans.js';
import type { Background } from './background.js';
import { auditDifferences, inequality } from './differences.js';
import { Life } from './life.js';
import { PaidService } from './paid-service.js';
import { publishRecords } from './records.js';
import { TestClock } from './test-clock.js';

const hourMs = 3600_000;
const minuteMs = 60_000;
const dayMs = 24 * hourMs;
/** The most that a life reads at once. */
export const readAtOnce = 2500;

interface LivesParts {
  service: PaidService;
  /** Numbers from 0 up to 1, the same for a seed. */
  random(): number;
  /** What fails from now on: some of our calls, or all. */
  setWeather(weather: Weather): void;
}

/** away: nothing comes onto a bill. */
export type Weather = 'clear' | 'rough' | 'down' | 'away';

/** Something that is due for one life. */
interface Moment {
  at: Date;
  life: Life;
  happen(): Promise<unknown>;
}

/** Many random lives of subscribers on one Stripe, side by side, with the service's own work in the background. */
export class Lives {
  readonly all: Life[] = [];
  now = new Date(0);

  private constructor(
    private readonly parts: LivesParts,
    private readonly background: Background,
    private readonly clock: TestClock,
  ) {}

  static async open(parts: LivesParts, startsAt: Date): Promise<Lives> {
    const background = await parts.service.background;
    const lives = new Lives(parts, background, await TestClock.begin(background.stripe, startsAt));
    await lives.setServiceClock(startsAt);
    return lives;
  }

  /** Lives in which only happens what a test makes happen, on a service of their own with a county to read. */
  static async openFair(startsAt: Date, settings: Record<string, string> = {}): Promise<{ service: PaidService; lives: Lives }> {
    const service = await PaidService.open(settings);
    service.stripe.world.areEventsListed = true;
    await publishRecords(service.db, '25017', plans.paid.includedRecords);
    return { service, lives: await Lives.open({ service, random: () => 0, setWeather: () => {} }, startsAt) };
  }

  get stripe(): Stripe {
    return this.background.stripe;
  }

  /** Lets so many subscribers live for some months, and then the month after. */
  async live(count: number, months: number, startsAt: Date): Promise<void> {
    const { random } = this.parts;
    const cohorts = Math.min(3, count);
    for (let cohort = 0; cohort < cohorts; cohort++) {
      const at = new Date(startsAt.getTime() + cohort * (9 * dayMs + 7 * hourMs));
      await this.passTimeUntil(at);
      for (let i = cohort; i < count; i += cohorts) await this.begin(`life-${i}`);
    }
    const moments: Moment[] = [];
    for (const life of this.all) moments.push(...(await this.momentsOf(life, months)));
    moments.sort((a, b) => a.at.getTime() - b.at.getTime());
    while (moments.length > 0) {
      const { at } = moments[0]!;
      await this.passTimeUntil(at);
      const due = moments.splice(0, moments.findLastIndex((moment) => moment.at.getTime() === at.getTime()) + 1);
      for (const { happen } of due) await happen();
      if (random() < 0.1) await this.background.crash(Math.floor(random() * 8));
      await this.drain();
    }
    await this.leave();
  }

  /** The weather clears, everybody leaves, and time passes until all bills are final. */
  async leave(): Promise<void> {
    this.parts.setWeather('clear');
    await this.work();
    for (const { subscriptionId } of this.all) {
      const { ended_at } = await this.stripe.subscriptions.retrieve(subscriptionId);
      if (ended_at === null) await this.stripe.subscriptions.update(subscriptionId, { cancel_at_period_end: true });
    }
    for (const hours of [31 * 24, 1, 1, 1, 25, 1, 1]) {
      await this.passTimeUntil(new Date(this.now.getTime() + hours * hourMs));
      for (const life of this.all) await this.follow(life);
      await this.work();
    }
  }

  /** What is wrong in the end. */
  async differences(): Promise<string[]> {
    const { db, config } = this.parts.service;
    const wrong: string[] = [];
    for (const customer of new Set(this.all.map(({ customerId }) => customerId))) {
      const difference = await inequality(db, this.stripe, customer);
      if (difference) wrong.push(`${customer}: ${difference}`);
    }
    return [...wrong, ...(await auditDifferences(config))];
  }

  /** Somebody subscribes now. */
  async begin(accountId: string): Promise<Life> {
    return this.open(await Life.begin(this.parts.service.db, this.stripe, this.clock, accountId, this.now));
  }

  /** Somebody whose subscription has ended subscribes once more. */
  async beginAgain(life: Life): Promise<Life> {
    return this.open(await untilDone(() => life.again(this.stripe, this.now)));
  }

  private async open(life: Life): Promise<Life> {
    await this.follow(life);
    await life.issueToken();
    this.all.push(life);
    return life;
  }

  private async momentsOf(life: Life, months: number): Promise<Moment[]> {
    const { random } = this.parts;
    const moments: Moment[] = [];
    const at = (time: Date, happen: () => Promise<unknown>) => moments.push({ at: time, life, happen });
    let start = life.startedAt;
    for (let month = 1; month <= months; month++) {
      const end = await life.periodEnd(month);
      const isLast = month === months;
      const isHeavy = random() < 0.8;
      const isAbrupt = isLast && random() < 0.4;
      for (const share of isAbrupt ? [0.2, 0.5] : [0.2, 0.5, 0.8]) {
        const time = new Date(wholeSeconds(start.getTime() + share * (end.getTime() - start.getTime())));
        if (time > this.now) at(time, () => this.act(life, isHeavy));
      }
      if (isAbrupt) {
        const ended = new Date(wholeSeconds(start.getTime() + (0.7 + 0.2 * random()) * (end.getTime() - start.getTime())));
        const isAway = random() < 0.5;
        at(ended, () => this.endAbruptly(life, isAway));
        at(new Date(ended.getTime() + hourMs), async () => random() < 0.5 && life.takeBack(random()));
        at(new Date(ended.getTime() + 2.2 * hourMs), () => this.drain());
        at(new Date(ended.getTime() + 3 * hourMs), async () => random() < 0.5 && life.takeBack(random()));
        break;
      }
      at(new Date(end.getTime() - hourMs), () => (isLast ? this.cancel(life) : this.act(life, isHeavy)));
      // Its bill is a draft; then it is final.
      at(new Date(end.getTime() + 10 * minuteMs), () => this.closeUp(life));
      at(new Date(end.getTime() + 2 * hourMs), async () => {
        await this.follow(life);
        if (random() < 0.5) await life.takeBack(random());
      });
      if (isLast) at(new Date(end.getTime() + 2.2 * hourMs), () => this.drain());
      start = end;
    }
    at(new Date(start.getTime() + dayMs), async () => {});
    return moments;
  }

  private async act(life: Life, isHeavy: boolean): Promise<void> {
    const { random, setWeather } = this.parts;
    setWeather('rough');
    if (isHeavy && random() < 0.6) await life.read(readAtOnce);
    for (let read = 0; read < 3; read++) if (random() < 0.6) await life.read(1 + Math.floor(random() * 400));
    if (random() < 0.3) await life.takeBack(random());
  }

  /** Sometimes Stripe is down until the bill is final. */
  private async closeUp(life: Life): Promise<void> {
    const { random, setWeather } = this.parts;
    if (random() < 0.2) {
      setWeather('down');
    } else if (random() < 0.3) {
      await life.takeBack(random());
    }
  }

  async cancel(life: Life): Promise<void> {
    await this.stripe.subscriptions.update(life.subscriptionId, { cancel_at_period_end: true });
    await this.follow(life);
  }

  /** Half of them subscribe again soon. */
  private async endAbruptly(life: Life, isAway: boolean): Promise<void> {
    const { random, setWeather } = this.parts;
    await this.act(life, true);
    if (isAway) setWeather('away');
    else await this.drain();
    await this.endAtOnce(life);
    await this.passTimeUntil(new Date(this.now.getTime() + minuteMs));
    if (random() < 0.5) return;
    const next = await this.beginAgain(life);
    await next.read(readAtOnce);
    await next.read(readAtOnce);
    await this.cancel(next);
  }

  /** Somebody ends it in Stripe's dashboard, within its period. */
  async endAtOnce(life: Life): Promise<void> {
    await this.stripe.subscriptions.cancel(life.subscriptionId);
    await this.follow(life);
  }

  /** What the service does by itself, until it knows of nothing what became of it. An outage ends within hours. */
  async drain(): Promise<void> {
    const outageEndsAt = this.now.getTime() + (80 + 70 * this.parts.random()) * minuteMs;
    for (;;) {
      await this.work();
      if (await this.isSettled()) break;
      await this.passTimeUntil(new Date(this.now.getTime() + 5 * minuteMs));
      if (this.now.getTime() > outageEndsAt) this.parts.setWeather('rough');
    }
    this.parts.setWeather('rough');
  }

  /** What the service does by itself at this moment. */
  work(): Promise<void> {
    return this.background.work();
  }

  private async isSettled(): Promise<boolean> {
    return (await this.parts.service.db.query(`select from overage_item where state = 'trying'`)).length === 0;
  }

  /** As its events would have us do, or the comparison every few hours. */
  async follow({ subscriptionId }: Pick<Life, 'subscriptionId'>): Promise<void> {
    await untilDone(() => this.background.follow(subscriptionId));
  }

  async passTimeUntil(at: Date): Promise<void> {
    if (at <= this.now) return;
    await this.clock.passTimeUntil(at);
    await this.setServiceClock(at);
  }

  private async setServiceClock(at: Date): Promise<void> {
    this.now = at;
    await this.parts.service.db.setClock(at);
  }
}

// Stripe knows no shorter ones.
const wholeSeconds = (ms: number): number => Math.floor(ms / 1000) * 1000;

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
