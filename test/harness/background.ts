import type { Pool } from 'pg';
import type Stripe from 'stripe';
import type { DataSource } from 'typeorm';
import { AccountSync } from '../../src/billing/account-sync.js';
import { CreditGiver } from '../../src/billing/credit-giver.js';
import { CustomerStore } from '../../src/billing/customer.store.js';
import { LastBill } from '../../src/billing/last-bill.js';
import { claimMeterEvents, openMeterEvents, resolveMeterEvent } from '../../src/billing/meter-event.store.js';
import { OverageReporter } from '../../src/billing/overage-reporter.js';
import { Reconciliation } from '../../src/billing/reconciliation.js';
import { openStripe } from '../../src/billing/stripe-client.js';
import { SubscriptionSync } from '../../src/billing/subscription-sync.js';
import type { Config } from '../../src/core/config.js';
import { createLog } from '../../src/core/log.js';
import { openDataSource, openPool } from '../../src/database/database.js';
import { entities } from '../../src/server/entities.js';
import { closeAtEnd } from './closing.js';

/** What the service does with Stripe by itself, without a server: each piece of it when a test says so. */
export class Background {
  private readonly reporter: OverageReporter;
  private readonly credits: CreditGiver;
  private readonly sync: SubscriptionSync;
  private readonly lastBill: LastBill;
  private readonly reconciliation: Reconciliation;

  private constructor(
    config: Config,
    readonly stripe: Stripe,
    private readonly pool: Pool,
    private readonly dataSource: DataSource,
  ) {
    const log = createLog(config);
    this.reporter = new OverageReporter(stripe, pool, log);
    this.credits = new CreditGiver(stripe, pool, log);
    this.sync = new SubscriptionSync(stripe, log);
    this.lastBill = new LastBill({ stripe, sync: this.sync, hasAutomaticTax: false, log });
    const { sync, lastBill } = this;
    const customers = new CustomerStore(dataSource);
    const accounts = new AccountSync({ stripe, sync, customers, dataSource, log });
    this.reconciliation = new Reconciliation({ dataSource, sync, lastBill, accounts, customers, log });
  }

  static async open(config: Config): Promise<Background> {
    const log = createLog(config);
    const pool = openPool(config.databaseUrl!, 'background', 3, log);
    closeAtEnd(() => pool.end());
    const dataSource = await openDataSource(config.databaseUrl!, 'background', 2, log, entities);
    closeAtEnd(() => dataSource.destroy());
    const stripe = openStripe(config)!;
    // The SDK waits half a second before it tries again: with the stand-in, whose calls are made to fail, most of a test's time.
    if (config.stripeApiUrl) stripe.getInitialNetworkRetryDelay = () => 0.001;
    return new Background(config, stripe, pool, dataSource);
  }

  /** @returns whether there may be more */
  reportDue(): Promise<boolean> {
    return this.reporter.reportDue();
  }

  /** @returns whether there may be more */
  giveDue(): Promise<boolean> {
    return this.credits.giveDue();
  }

  /** @returns whether there may be more */
  followDue(): Promise<boolean> {
    return this.reconciliation.followDue();
  }

  /** As an event would have us do. */
  follow(subscriptionId: string): Promise<unknown> {
    return this.dataSource.transaction((manager) => this.sync.follow(manager, subscriptionId));
  }

  settle(subscriptionId: string): Promise<void> {
    return this.lastBill.settle(this.dataSource.manager, subscriptionId);
  }

  /** A server dies with what it has claimed. */
  async crash(events: number): Promise<void> {
    await openMeterEvents(this.pool);
    await claimMeterEvents(this.pool, events);
  }

  /** What an operator decides by `stripe resolve`. */
  resolve(event: string, wasCounted: boolean): Promise<boolean> {
    return resolveMeterEvent(this.pool, event, wasCounted);
  }
}
