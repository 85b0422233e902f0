import { createServer, type Server } from 'node:http';
import type Stripe from 'stripe';
import { listen, urlOf } from '../harness/loopback-server.js';
import { creditLine, refundCharge, setStatus, voidInvoice, writeOff } from './collecting.js';
import { Deliveries } from './deliveries.js';
import { missing } from './fault.js';
import { Faults } from './faults.js';
import { addHostedPages } from './hosted-pages.js';
import { Limits } from './limits.js';
import { expireSession, passTime } from './passing-time.js';
import { routes } from './routes.js';
import { stripeApi } from './server.js';
import {
  billAtThreshold,
  billByHand,
  billWithNext,
  cancelNow,
  changeQuantity,
  completeCheckout,
  deleteCustomer,
  finalizeAndCollect,
  moveBillingCycle,
  payInvoice,
  replacePrices,
  setCancelAtPeriodEnd,
  setTrialEnd,
  settleBankDebit,
  subscribeByHand,
  subscribeOnAccount,
} from './subscribing.js';
import { newId, World } from './world.js';

/** A local Stripe: its API for the SDK, its clock, its customers' actions, and its events. */
export class StripeStandIn {
  readonly world = new World();
  readonly faults = new Faults();
  readonly limits = new Limits();
  readonly deliveries = new Deliveries('', 'whsec_stand_in_0123456789');
  private readonly undelivered: Stripe.Event[] = [];
  private readonly calls: string[] = [];
  private readonly waiting: (() => void)[] = [];
  private readonly server: Server;

  constructor() {
    this.world.onEvent = (event) => this.undelivered.push(event);
    this.world.onCall = (call) => {
      this.calls.push(call);
      for (const resolve of this.waiting.splice(0)) resolve();
    };
    const app = stripeApi(
      this.world,
      routes(this.world, () => this.url),
      this.faults,
      this.limits,
    );
    addHostedPages(app, this);
    this.server = createServer(app);
  }

  get url(): string {
    return urlOf(this.server);
  }

  /** As long as the test file. */
  async listen(port?: number): Promise<this> {
    await listen(this.server, port);
    return this;
  }

  /** Advances Stripe's clock; renewals, invoices, retries and expiries happen at their own times. */
  passTimeUntil(at: Date): void {
    passTime(this.world, Math.floor(at.getTime() / 1000));
  }

  readonly completeCheckout = this.inWorld(completeCheckout);
  readonly settleBankDebit = this.inWorld(settleBankDebit);

  /** The checkout page expires after a day. */
  expireCheckout(sessionId: string): void {
    expireSession(this.world, this.world.sessions.get(sessionId));
  }

  /** Whether the customer's card works from now on. */
  setCard(subscriptionId: string, isGood: boolean): void {
    const collection = this.world.collections.get(subscriptionId);
    if (!collection) throw missing('subscription', subscriptionId);
    collection.isCardGood = isGood;
  }

  /** The customer pays what is open, oldest first. */
  payOpenInvoices(subscriptionId: string): void {
    this.setCard(subscriptionId, true);
    while (this.payOldestInvoice(subscriptionId));
  }

  /** @returns whether there was one to pay */
  payOldestInvoice(subscriptionId: string): boolean {
    const open = this.invoicesOf(subscriptionId).find(({ status }) => status === 'open');
    if (open) payInvoice(this.world, open);
    return open !== undefined;
  }

  // What people do in the dashboard or portal.
  readonly deleteCustomer = this.inWorld(deleteCustomer);
  readonly subscribeByHand = this.inWorld(subscribeByHand);
  readonly subscribeOnAccount = this.inWorld(subscribeOnAccount);
  readonly creditLine = this.inWorld(creditLine);
  // To a subscription, named by its id.
  readonly cancelAtPeriodEnd = this.toSubscription(setCancelAtPeriodEnd);
  readonly cancelNow = this.toSubscription(cancelNow);
  readonly moveBillingCycle = this.toSubscription(moveBillingCycle);
  readonly setTrialEnd = this.toSubscription(setTrialEnd);
  readonly billAtThreshold = this.toSubscription(billAtThreshold);
  readonly replacePrices = this.toSubscription(replacePrices);
  readonly changeQuantity = this.toSubscription(changeQuantity);
  readonly billWithNext = this.toSubscription(billWithNext);
  readonly billByHand = this.toSubscription(billByHand);

  private inWorld<Rest extends unknown[], Result>(act: (world: World, ...rest: Rest) => Result) {
    return (...rest: Rest): Result => act(this.world, ...rest);
  }

  private toSubscription<Rest extends unknown[]>(act: (world: World, subscription: Stripe.Subscription, ...rest: Rest) => void) {
    return (id: string, ...rest: Rest): void => act(this.world, this.world.subscriptions.get(id), ...rest);
  }

  /** Finalizes a customer's newest draft, as in the dashboard. @returns whether there was one */
  finalizeEarly(customerId: string): boolean {
    const draft = this.billsOf(customerId).findLast(({ status, parent }) => status === 'draft' && parent);
    if (draft) finalizeAndCollect(this.world, draft);
    return draft !== undefined;
  }

  /** Voids or writes off a customer's oldest open invoice. @returns whether there was one */
  forgiveOpenBill(customerId: string, isVoid: boolean): boolean {
    const open = this.billsOf(customerId).find(({ status }) => status === 'open');
    if (open) (isVoid ? voidInvoice : writeOff)(this.world, open);
    return open !== undefined;
  }

  /** A coupon for a customer or a subscription. */
  giveCoupon(ownerId: string, percentOff: number): void {
    this.world.percentOff.set(ownerId, percentOff);
  }

  /** A manual tax rate for a subscription and its invoices. */
  addTaxRate(subscriptionId: string, percentage: number): void {
    const id = newId('txr');
    this.world.taxRates.set(id, percentage);
    this.world.subscriptions.get(subscriptionId).default_tax_rates = [{ id, percentage } as Stripe.TaxRate];
  }

  billsOf(customerId: string): Stripe.Invoice[] {
    return this.world.invoices.all().filter(({ customer }) => customer === customerId);
  }

  /** Pauses or resumes collection, as in the dashboard. */
  pauseCollection(subscriptionId: string, behavior: Stripe.Subscription.PauseCollection.Behavior | null): void {
    const subscription = this.world.subscriptions.get(subscriptionId);
    subscription.pause_collection = behavior && { behavior, resumes_at: null };
    this.world.emit('customer.subscription.updated', subscription);
  }

  setPaused(subscriptionId: string, isPaused: boolean): void {
    const subscription = this.world.subscriptions.get(subscriptionId);
    setStatus(this.world, subscription, isPaused ? 'paused' : 'active');
    this.world.emit(isPaused ? 'customer.subscription.paused' : 'customer.subscription.resumed', subscription);
  }

  /** Disputes the newest charge. */
  dispute(customerId: string): Stripe.Charge {
    const charge = this.world.charges.all().findLast(({ customer }) => customer === customerId)!;
    charge.disputed = true;
    this.world.emit('charge.dispute.created', {
      id: newId('dp'),
      object: 'dispute',
      amount: charge.amount,
      charge: charge.id,
      currency: 'usd',
    });
    return charge;
  }

  refund(chargeId: string, amount: number): void {
    refundCharge(this.world, this.world.charges.get(chargeId), amount);
  }

  invoicesOf(subscriptionId: string): Stripe.Invoice[] {
    return this.world.invoices.all().filter(({ parent }) => parent?.subscription_details?.subscription === subscriptionId);
  }

  /** Resolves when the next call arrives. */
  nextCall(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  callsOf(path: RegExp): number {
    return this.calls.filter((call) => path.test(call)).length;
  }

  /** Takes the undelivered events, oldest first. */
  takeEvents(): Stripe.Event[] {
    return this.undelivered.splice(0);
  }

  /** Delivers all events in order; each must be accepted. */
  async deliverAll(): Promise<void> {
    for (const event of this.takeEvents()) {
      const status = await this.deliveries.deliver(event);
      if (status !== 200) throw new Error(`${event.type} was answered with ${status}`);
    }
  }
}
