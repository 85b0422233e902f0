import type Stripe from 'stripe';
import { plans } from '../../src/ledger/plans.js';
import { inequality } from '../harness/differences.js';
import { createCustomer, issueToken, readRecords, takeBackRead } from '../harness/life.js';
import { dayMs, type Situation } from '../harness/situation.js';
import { nextBoundary } from '../stripe/calendar.js';
import type { StripeStandIn } from '../stripe/stand-in.js';

interface WalkerParts {
  situation: Situation;
  /** The subscription's prices. */
  prices: Stripe.Price[];
  /**
   * Follows a subscription as its event would have us do.
   * @returns whether it did: when Stripe fails, it is not followed
   */
  follow(subscriptionId: string): Promise<boolean>;
  /** Numbers from 0 up to 1, the same for a seed. */
  random(): number;
  /** How many of Stripe's events reach us, from 0 to 1. */
  followedShare: number;
  isDense: boolean;
  hasBadCards: boolean;
}

interface Subscription {
  id: string;
  hasToken: boolean;
}

const nearlyIncluded = plans.paid.includedRecords - 10;

/** A customer who does at random what customers do, in any order; every step is noted. */
export class Walker {
  private readonly subscriptions: Subscription[] = [];
  /** Entries in the ledger that are not taken back. */
  private readonly reads: string[] = [];
  readonly steps: string[] = [];
  /** Who was served, or not, against what is paid. */
  private readonly wrongs: string[] = [];

  private constructor(
    private readonly parts: WalkerParts,
    private readonly accountId: string,
    private readonly customerId: string,
  ) {}

  static async begin(parts: WalkerParts, accountId: string): Promise<Walker> {
    const { service, api } = parts.situation;
    const walker = new Walker(parts, accountId, await createCustomer(service.db, api, accountId));
    const first = walker.subscribe();
    await parts.follow(first.id);
    await walker.issueTokens();
    await walker.read(first, nearlyIncluded);
    return walker;
  }

  /** When Stripe ends what this customer has or had, in ms since 1970. */
  get endsAt(): number[] {
    const { subscriptions } = this.parts.situation.stripe.world;
    return this.subscriptions.map(({ id }) => {
      const { ended_at, items } = subscriptions.get(id);
      return (ended_at ?? items.data[0]!.current_period_end) * 1000;
    });
  }

  /** Does one thing, or nothing. */
  async act(): Promise<void> {
    const { random } = this.parts;
    await this.issueTokens();
    const what = random();
    if (what < 0.4) return this.readSome();
    if (what < 0.55) return this.takeBack();
    const living = this.living();
    if (living.length === 0) return what < 0.8 ? this.subscribeAgain() : undefined;
    const one = pick(random, living);
    if (what < 0.75) return this.doInDashboard(one);
    if (what < 0.8 && this.parts.hasBadCards) return this.changeCard(one);
    if (what < 0.92) {
      await this.parts.follow(one.id);
      return this.note(`followed ${one.id}`);
    }
    return this.payOldest(pick(random, this.subscriptions));
  }

  /** Does to a subscription what people do in Stripe's dashboard, each as likely as it is said. */
  private async doInDashboard(one: Subscription): Promise<void> {
    const { random, situation, isDense } = this.parts;
    const { stripe } = situation;
    const isInvoiced = random() < 0.3;
    const doings: [likelihood: number, what: string, act: () => unknown][] = [
      [isDense ? 3.5 : 3, `ended ${one.id}${isInvoiced ? ' with a bill' : ''}`, () => stripe.cancelNow(one.id, isInvoiced)],
      [2, `ends with its period: ${one.id}`, () => stripe.cancelAtPeriodEnd(one.id)],
      [1, `${one.id} has the plan several times, or once`, () => stripe.changeQuantity(one.id, pick(random, [1, 2, 3]))],
      [1, `the next bill of ${one.id} has more on it`, () => this.billMore(one)],
      [1, `moved the billing cycle of ${one.id}`, () => stripe.moveBillingCycle(one.id)],
      [0.7, `a threshold of ${one.id} was reached`, () => stripe.billAtThreshold(one.id, random() < 0.5)],
      [0.7, `replaced the prices of ${one.id}`, () => stripe.replacePrices(one.id, this.parts.prices)],
      [
        0.5,
        `gave a trial to ${one.id}`,
        () => stripe.setTrialEnd(one.id, new Date(this.now.getTime() + pick(random, [1, 10, 45]) * dayMs)),
      ],
      [1.5, 'made a bill final early', () => stripe.finalizeEarly(this.customerId)],
      [0.7, 'forgave a bill', () => stripe.forgiveOpenBill(this.customerId, random() < 0.5)],
      [0.7, 'has two at once', () => this.subscribe(random() < 0.3)],
    ];
    let left = random() * doings.reduce((sum, [likelihood]) => sum + likelihood, 0);
    const [, what, act] = doings.find(([likelihood]) => {
      left -= likelihood;
      return left < 0;
    })!;
    act();
    this.note(what);
    await this.hearOf(one);
  }

  /** Pays what is open, and leaves, with a bill at the end of the period. */
  leave(): void {
    const { stripe } = this.parts.situation;
    for (const { id } of this.living()) {
      stripe.payOpenInvoices(id);
      stripe.cancelAtPeriodEnd(id);
      this.note(`ends with its period: ${id}`);
    }
  }

  /** @returns what is wrong with the bills, or with who was served, and how it came to that; null: nothing */
  async difference(): Promise<string | null> {
    const { service, api } = this.parts.situation;
    const unequal = await inequality(service.db, api, this.customerId);
    const wrongs = [...this.wrongs, ...(unequal ? [unequal] : [])];
    if (wrongs.length === 0) return null;
    return `${this.accountId} (${this.customerId}): ${wrongs.join('; ')}, after\n${this.steps.join('\n')}`;
  }

  private async readSome(): Promise<void> {
    const { random } = this.parts;
    const living = this.living();
    const on = living.length > 0 && random() < 0.8 ? pick(random, living) : pick(random, this.subscriptions);
    await this.read(on, pick(random, [1, 30, 70, 200, 700, 2500]));
  }

  private async read({ id, hasToken }: Subscription, records: number): Promise<void> {
    if (!hasToken) return;
    if ((await this.tryToRead(id, records)) || !mustBeServed(this.parts.situation.stripe, id)) return;
    // We may not have heard of it.
    while (!(await this.parts.follow(id)));
    if (!(await this.tryToRead(id, records))) this.wrongs.push(`${id} is paid, and was refused`);
  }

  private async tryToRead(id: string, records: number): Promise<boolean> {
    const { stripe, service } = this.parts.situation;
    const spent = await readRecords(service.db, id, records);
    this.note(`${records} records by ${id}: ${spent.decision ?? 'no such token'}`);
    if (spent.decision !== 'granted') return false;
    this.reads.push(spent.id);
    const lasts = stripe.world.subscriptions.get(id).ended_at === null;
    if (lasts && !mayBeServed(stripe, id)) this.wrongs.push(`${id} is not paid for so long, and was served`);
    return true;
  }

  private async takeBack(): Promise<void> {
    if (this.reads.length === 0) return;
    const [entry] = this.reads.splice(Math.floor(this.parts.random() * this.reads.length), 1);
    await takeBackRead(this.parts.situation.service.db, entry!);
    this.note('took a read back');
  }

  /** @param isOnAccount whether its bills are sent, and paid some time or never */
  private subscribe(isOnAccount = false): Subscription {
    const { stripe } = this.parts.situation;
    const { id } = stripe[isOnAccount ? 'subscribeOnAccount' : 'subscribeByHand'](this.customerId, this.parts.prices);
    const subscription = { id, hasToken: false };
    this.subscriptions.push(subscription);
    this.note(`subscribed${isOnAccount ? ' on account' : ''}: ${id}`);
    return subscription;
  }

  private changeCard({ id }: Subscription): void {
    const isGood = this.parts.random() < 0.7;
    this.parts.situation.stripe.setCard(id, isGood);
    this.note(isGood ? 'the card is good' : 'the card is bad');
  }

  /** On a bill with more than ten lines Stripe's first ten are none of ours. */
  private billMore({ id }: Subscription): void {
    for (let item = 0; item < 11; item++) this.parts.situation.stripe.billWithNext(id, 100);
  }

  private async payOldest(subscription: Subscription): Promise<void> {
    if (!this.parts.situation.stripe.payOldestInvoice(subscription.id)) return;
    this.note(`paid a bill of ${subscription.id}`);
    await this.hearOf(subscription);
  }

  private async subscribeAgain(): Promise<void> {
    const { random, follow } = this.parts;
    const next = this.subscribe(random() < 0.2);
    await follow(next.id);
    await this.hearOf(...this.subscriptions);
    await this.issueTokens();
    if (random() < 0.8) await this.read(next, nearlyIncluded);
  }

  /** An event reaches us, or is lost. */
  private async hearOf(...subscriptions: Subscription[]): Promise<void> {
    const { random, followedShare, follow } = this.parts;
    if (random() >= followedShare) return;
    for (const { id } of subscriptions) await follow(id);
  }

  private living(): Subscription[] {
    const { subscriptions } = this.parts.situation.stripe.world;
    return this.subscriptions.filter(({ id }) => subscriptions.get(id).ended_at === null);
  }

  private get now(): Date {
    return this.parts.situation.now;
  }

  private async issueTokens(): Promise<void> {
    for (const subscription of this.subscriptions) {
      subscription.hasToken ||= await issueToken(this.parts.situation.service.db, subscription.id);
    }
  }

  private note(what: string): void {
    this.steps.push(`${this.now.toISOString()} ${what}`);
  }
}

export const pick = <T>(random: () => number, list: T[]): T => list[Math.floor(random() * list.length)]!;

/** Whether a subscription must be served: it lasts, and the period that is now is paid. */
function mustBeServed(stripe: StripeStandIn, subscriptionId: string): boolean {
  const { ended_at, status, items } = stripe.world.subscriptions.get(subscriptionId);
  return ended_at === null && status === 'active' && paidUntil(stripe, subscriptionId) === items.data[0]!.current_period_end;
}

/** Whether a subscription that lasts may be served: the last paid period, or the one after it, is not over. */
function mayBeServed(stripe: StripeStandIn, subscriptionId: string): boolean {
  const { clock, subscriptions } = stripe.world;
  const paid = paidUntil(stripe, subscriptionId);
  return paid !== null && clock.now() < nextBoundary(subscriptions.get(subscriptionId).billing_cycle_anchor, paid);
}

/** The end of the last period whose price, paid ahead, is on a paid bill; in seconds since 1970. */
function paidUntil(stripe: StripeStandIn, subscriptionId: string): number | null {
  const paid = stripe.invoicesOf(subscriptionId).filter(({ status }) => status === 'paid');
  const ends = paid.flatMap(({ created, lines }) => lines.data.map(({ period }) => period.end).filter((end) => end > created));
  return ends.length > 0 ? Math.max(...ends) : null;
}
