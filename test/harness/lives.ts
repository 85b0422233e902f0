import Stripe from 'stripe';
import { plans } from '../../src/ledger/plans.js';
import type { Background } from './background.js';
import { auditDifferences, inequality } from './differences.js';
import { Life } from './life.js';
import { PaidService } from './paid-service.js';
import { publishRecords } from './records.js';
import { TestClock } from './test-clock.js';

const hourMs = 3600_000;

/** Subscribers of one service and one Stripe, to whom happens what a test makes happen; the service's own work is done when it says so. */
export class Lives {
  readonly all: Life[] = [];
  now = new Date(0);

  private constructor(
    readonly service: PaidService,
    private readonly background: Background,
    private readonly clock: TestClock,
  ) {}

  /** On a service of their own with a county to read. */
  static async open(startsAt: Date, settings: Record<string, string> = {}): Promise<Lives> {
    const service = await PaidService.open(settings);
    service.stripe.world.areEventsListed = true;
    await publishRecords(service.db, '25017', plans.paid.includedRecords);
    const background = await service.background;
    const lives = new Lives(service, background, await TestClock.begin(background.stripe, startsAt));
    await lives.setServiceClock(startsAt);
    return lives;
  }

  get stripe(): Stripe {
    return this.background.stripe;
  }

  /** Everybody leaves, and time passes until all bills are final. */
  async leave(): Promise<void> {
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

  /** The faults at the end. */
  async differences(): Promise<string[]> {
    const { db, config } = this.service;
    const wrong: string[] = [];
    for (const customer of new Set(this.all.map(({ customerId }) => customerId))) {
      const difference = await inequality(db, this.stripe, customer);
      if (difference) wrong.push(`${customer}: ${difference}`);
    }
    return [...wrong, ...(await auditDifferences(config))];
  }

  /** Somebody subscribes now. */
  async begin(accountId: string): Promise<Life> {
    return this.open(await Life.begin(this.service.db, this.stripe, this.clock, accountId, this.now));
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

  async cancel(life: Life): Promise<void> {
    await this.stripe.subscriptions.update(life.subscriptionId, { cancel_at_period_end: true });
    await this.follow(life);
  }

  /** Somebody ends it in Stripe's dashboard, within its period. */
  async endAtOnce(life: Life): Promise<void> {
    await this.stripe.subscriptions.cancel(life.subscriptionId);
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

  async passTimeUntil(at: Date): Promise<void> {
    if (at <= this.now) return;
    await this.clock.passTimeUntil(at);
    await this.setServiceClock(at);
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
