import { setTimeout as sleep } from 'node:timers/promises';
import type Stripe from 'stripe';

const pollMs = 2_000;

/** A clock of Stripe's test mode, by which its customers live. */
export class TestClock {
  private constructor(
    private readonly stripe: Stripe,
    readonly id: string,
  ) {}

  static async begin(stripe: Stripe, at: Date): Promise<TestClock> {
    const { id } = await stripe.testHelpers.testClocks.create({ frozen_time: at.getTime() / 1000, name: 'Parcel Records lives' });
    return new TestClock(stripe, id);
  }

  /** Resolves when all that was due until then has happened. */
  async passTimeUntil(at: Date): Promise<void> {
    const { testClocks } = this.stripe.testHelpers;
    let clock: Stripe.TestHelpers.TestClock = await testClocks.advance(this.id, { frozen_time: Math.floor(at.getTime() / 1000) });
    while (clock.status === 'advancing') {
      await sleep(pollMs);
      clock = await testClocks.retrieve(this.id);
    }
    if (clock.status !== 'ready') throw new Error(`the test clock is in ${clock.status}`);
  }
}
