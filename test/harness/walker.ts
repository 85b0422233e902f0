import type Stripe from 'stripe';
import { plans } from '../../src/ledger/plans.js';
import type { Background } from './background.js';
import { mayBeServed, mustBeServed } from './entitlement.js';
import type { PaidService } from './paid-service.js';
import { createCustomer, issueToken, readRecords, takeBackRead } from './subscriber.js';

interface WalkerParts {
  service: PaidService;
  background: Background;
  /** What is subscribed to. */
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

const { overageUnitCents, includedRecords } = plans.paid;
const nearlyIncluded = includedRecords - 10;

/** A customer who does at random what customers do, in any order; every step is noted. */
export class Walker {
  private readonly subscriptions: Subscription[] = [];
  /** Entries in the ledger that are not taken back. */
  private readonly reads: string[] = [];
  private readonly steps: string[] = [];
  /** Who was served, or not, against what is paid. */
  private readonly wrongs: string[] = [];
  /** When a billing cycle was moved last, in seconds since 1970. */
  private movedAt: number | null = null;

  private constructor(
    private readonly parts: WalkerParts,
    private readonly accountId: string,
    private readonly customerId: string,
  ) {}

  static async begin(parts: WalkerParts, accountId: string): Promise<Walker> {
    const { service, background } = parts;
    const walker = new Walker(parts, accountId, await createCustomer(service.db, background.stripe, accountId));
    const first = walker.subscribe();
    await parts.follow(first.id);
    await walker.issueTokens();
    await walker.read(first, nearlyIncluded);
    return walker;
  }

  /** When Stripe ends what this customer has or had, in ms since 1970. */
  get endsAt(): number[] {
    const { subscriptions } = this.parts.service.stripe.world;
    return this.subscriptions.map(({ id }) => {
      const { ended_at, items } = subscriptions.get(id);
      return (ended_at ?? items.data[0]!.current_period_end) * 1000;
    });
  }

  /** Does one thing, or nothing. */
  async act(): Promise<void> {
    const { random, follow, isDense, hasBadCards, service } = this.parts;
    await this.issueTokens();
    const live = this.live();
    const what = random();
    if (what < 0.45) {
      const on = random() < 0.8 ? live : pick(random, this.subscriptions);
      if (on) await this.read(on, pick(random, [1, 30, 70, 200, 700, 2500]));
    } else if (what < 0.62) {
      await this.takeBack();
    } else if (!live) {
      if (what < 0.86) await this.subscribeAgain();
    } else if (what < (isDense ? 0.69 : 0.68)) {
      // In one second two bills would end, of which nobody could tell what is whose.
      if (service.stripe.world.clock.now() === this.movedAt) return;
      const isInvoiced = random() < 0.3;
      service.stripe.cancelNow(live.id, isInvoiced);
      this.note(`ended ${live.id}${isInvoiced ? ' with a bill' : ''}`);
      await this.hearOf(live);
    } else if (what < 0.72) {
      this.cancelAtEnd(live);
      await this.hearOf(live);
    } else if (what < 0.735) {
      this.changeQuantity(live);
    } else if (what < 0.75) {
      this.billMore(live);
    } else if (what >= 0.86 && what < 0.9 && hasBadCards) {
      const isGood = random() < 0.7;
      service.stripe.setCard(live.id, isGood);
      this.note(isGood ? 'the card is good' : 'the card is bad');
    } else if (what >= 0.86 && what < 0.95) {
      await follow(live.id);
      this.note(`followed ${live.id}`);
    } else if (what >= 0.95 && what < 0.96) {
      await this.moveBillingCycle(live);
    } else if (what >= 0.96) {
      await this.payOldest(pick(random, this.subscriptions));
    }
  }

  /** Pays what is open, and leaves, with a bill at the end of the period. */
  leave(): void {
    const live = this.live();
    if (!live) return;
    this.parts.service.stripe.payOpenInvoices(live.id);
    this.cancelAtEnd(live);
  }

  /** @returns what is wrong with the bills, or with who was served, and how it came to that; null: nothing */
  async difference(): Promise<string | null> {
    const [billed, given, owed] = [this.billedRecords(), this.givenRecords(), await this.owedRecords()];
    const sums = `${billed} records of overage were billed and ${given} given back, but the ledger has ${owed}`;
    const wrongs = [...this.wrongs, ...(billed - given === owed ? [] : [sums])];
    if (wrongs.length === 0) return null;
    return `${this.accountId} (${this.customerId}): ${wrongs.join('; ')}, after\n${this.steps.join('\n')}`;
  }

  private async read({ id, hasToken }: Subscription, records: number): Promise<void> {
    if (!hasToken) return;
    if ((await this.tryToRead(id, records)) || !mustBeServed(this.parts.service.stripe, id)) return;
    // We may not have heard of it.
    while (!(await this.parts.follow(id)));
    if (!(await this.tryToRead(id, records))) this.wrongs.push(`${id} is paid, and was refused`);
  }

  private async tryToRead(id: string, records: number): Promise<boolean> {
    const { stripe, db } = this.parts.service;
    const spent = await readRecords(db, id, records);
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
    await takeBackRead(this.parts.service.db, entry!);
    this.note(`took entry ${entry} back`);
  }

  /** @param isOnAccount whether its bills are sent, and paid some time or never */
  private subscribe(isOnAccount = false): Subscription {
    const { stripe } = this.parts.service;
    const { id } = stripe[isOnAccount ? 'subscribeOnAccount' : 'subscribeByHand'](this.customerId, this.parts.prices);
    const subscription = { id, hasToken: false };
    this.subscriptions.push(subscription);
    this.note(`subscribed${isOnAccount ? ' on account' : ''}: ${id}`);
    return subscription;
  }

  /** What is reported between the move and our hearing of it is on no bill, so we hear of it. */
  private async moveBillingCycle({ id }: Subscription): Promise<void> {
    const { service, follow } = this.parts;
    service.stripe.moveBillingCycle(id);
    this.movedAt = service.stripe.world.clock.now();
    this.note(`moved the billing cycle of ${id}`);
    while (!(await follow(id)));
  }

  private changeQuantity({ id }: Subscription): void {
    const quantity = pick(this.parts.random, [1, 2, 3]);
    this.parts.service.stripe.changeQuantity(id, quantity);
    this.note(`${id} has the plan ${quantity} times`);
  }

  /** On a bill with more than ten lines Stripe's first ten are none of ours. */
  private billMore({ id }: Subscription): void {
    for (let item = 0; item < 11; item++) this.parts.service.stripe.billWithNext(id, 100);
    this.note(`the next bill of ${id} has more on it`);
  }

  private async payOldest(subscription: Subscription): Promise<void> {
    if (!this.parts.service.stripe.payOldestInvoice(subscription.id)) return;
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

  private cancelAtEnd({ id }: Subscription): void {
    this.parts.service.stripe.cancelAtPeriodEnd(id);
    this.note(`ends with its period: ${id}`);
  }

  /** An event reaches us, or is lost. */
  private async hearOf(...subscriptions: Subscription[]): Promise<void> {
    const { random, followedShare, follow } = this.parts;
    if (random() >= followedShare) return;
    for (const { id } of subscriptions) await follow(id);
  }

  private live(): Subscription | undefined {
    const { subscriptions } = this.parts.service.stripe.world;
    return this.subscriptions.find(({ id }) => subscriptions.get(id).ended_at === null);
  }

  private async issueTokens(): Promise<void> {
    for (const subscription of this.subscriptions) {
      subscription.hasToken ||= await issueToken(this.parts.service.db, subscription.id);
    }
  }

  private billedRecords(): number {
    const bills = this.parts.service.stripe.world.invoices.all().filter(({ customer }) => customer === this.customerId);
    const final = bills.filter(({ status }) => status !== 'draft' && status !== 'void');
    const overage = final.flatMap(({ lines }) =>
      lines.data.filter(({ pricing }) => Number(pricing!.unit_amount_decimal) === overageUnitCents),
    );
    return overage.reduce((sum, { quantity }) => sum + (quantity ?? 0), 0);
  }

  private givenRecords(): number {
    const all = this.parts.service.stripe.world.balanceTransactions.all();
    const ours = all.filter(({ customer, metadata }) => customer === this.customerId && metadata?.credit);
    return ours.reduce((sum, { amount }) => sum - amount, 0) / overageUnitCents;
  }

  private async owedRecords(): Promise<number> {
    const [row] = await this.parts.service.db.query<{ records: number }>(
      `select coalesce(sum(e.overage_records), 0)::integer as records
         from ledger_entry e join credit_balance b on b.id = e.balance_id where b.account_id = $1`,
      [this.accountId],
    );
    return row!.records;
  }

  private note(what: string): void {
    this.steps.push(`${new Date(this.parts.service.stripe.world.clock.now() * 1000).toISOString()} ${what}`);
  }
}

export const pick = <T>(random: () => number, list: T[]): T => list[Math.floor(random() * list.length)]!;
