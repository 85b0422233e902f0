import type { Pool } from 'pg';
import type Stripe from 'stripe';
import type { DataSource } from 'typeorm';
import { createOverageBiller, type OverageBiller } from '../../src/billing/overage/overage-biller.js';
import { claimItems } from '../../src/billing/overage/overage-item.store.js';
import { claimCustomers } from '../../src/billing/overage/overage-schedule.store.js';
import { openStripe } from '../../src/billing/stripe/stripe-client.js';
import { AccountSync } from '../../src/billing/subscriptions/account-sync.js';
import { CustomerStore } from '../../src/billing/subscriptions/customer.store.js';
import { SubscriptionSync } from '../../src/billing/subscriptions/subscription-sync.js';
import type { Config } from '../../src/core/config.js';
import { createLog } from '../../src/core/log.js';
import { openDataSource, openPool } from '../../src/database/database.js';
import { entities } from '../../src/server/entities.js';
import { closeAtEnd } from './closing.js';

/** What the service does with Stripe by itself, without a server: each piece of it when a test says so, and one thing after the other. */
export class Background {
  private readonly biller: OverageBiller;
  private readonly sync: SubscriptionSync;
  private readonly accounts: AccountSync;

  private constructor(
    config: Config,
    readonly stripe: Stripe,
    private readonly pool: Pool,
    private readonly dataSource: DataSource,
  ) {
    const log = createLog(config);
    this.biller = createOverageBiller(stripe, pool, config, log, 1);
    this.sync = new SubscriptionSync(stripe, log);
    const { sync } = this;
    const customers = new CustomerStore(dataSource);
    this.accounts = new AccountSync({ stripe, sync, customers, dataSource, log });
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
  billDue(): Promise<boolean> {
    return this.biller.billDue();
  }

  billOverThreshold(): Promise<boolean> {
    return this.biller.billOverThreshold();
  }

  /** @returns whether there may be more */
  followDue(): Promise<boolean> {
    return this.accounts.followDue();
  }

  /** What the service does by itself, until nothing is left to do now. */
  async work(): Promise<void> {
    await this.billOverThreshold();
    while ([await this.billDue(), await this.followDue()].includes(true));
  }

  /** As an event would have us do. */
  follow(subscriptionId: string): Promise<unknown> {
    return this.dataSource.transaction((manager) => this.sync.follow(manager, subscriptionId));
  }

  /** A server dies with what it has claimed. */
  async crash(): Promise<void> {
    await claimCustomers(this.pool, 2);
    await claimItems(this.pool, 'trying', 1);
    await claimItems(this.pool, 'added', 1);
  }
}
