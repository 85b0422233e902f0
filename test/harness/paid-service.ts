import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type Stripe from 'stripe';
import { AccountSync } from '../../src/billing/account-sync.js';
import { Checkout } from '../../src/billing/checkout.js';
import { CustomerStore } from '../../src/billing/customer.store.js';
import { EndSubscriptions } from '../../src/billing/end-subscriptions.js';
import { LastBill } from '../../src/billing/last-bill.js';
import { resolveMeterEvent } from '../../src/billing/meter-event.store.js';
import { OverageReporter } from '../../src/billing/overage-reporter.js';
import { setUpStripe } from '../../src/billing/setup.js';
import { openStripe } from '../../src/billing/stripe-client.js';
import { StripeCustomers } from '../../src/billing/stripe-customers.js';
import { checkStripeSubscriptions } from '../../src/billing/stripe-differences.js';
import { checkStripeTotals } from '../../src/billing/stripe-totals.js';
import { SubscriptionStore } from '../../src/billing/subscription.store.js';
import { SubscriptionSync } from '../../src/billing/subscription-sync.js';
import { type Config, readConfig } from '../../src/core/config.js';
import { createLog } from '../../src/core/log.js';
import type { AuditFinding } from '../../src/database/books-check.js';
import { openDataSource, openPool } from '../../src/database/database.js';
import { entities } from '../../src/server/entities.js';
import { StripeStandIn } from '../stripe/stand-in.js';
import { listen, serve, urlOf } from './app.js';
import { closeAtEnd } from './closing.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { temporaryFolder } from './temporary-folder.js';

/** The service with a paid plan: a database of its own, a Stripe of its own, and as many servers as a test wants. */
export class PaidService {
  private readonly servers: (() => Promise<void>)[] = [];
  readonly config: Config;

  private constructor(
    readonly db: TestDatabase,
    readonly stripe: StripeStandIn,
    /** What a process of the service would find set. */
    readonly environment: Record<string, string>,
  ) {
    this.config = readConfig(environment);
  }

  /** @param settings environment variables beside the usual ones */
  static async open(settings: Record<string, string> = {}): Promise<PaidService> {
    const [db, stripe] = [await createTestDatabase(), await openStripeStandIn()];
    const environment = {
      NODE_ENV: 'test',
      LOG_LEVEL: 'silent',
      DATABASE_URL: db.url,
      AUTH_SECRET: 'a secret of the tests, thirty-two characters',
      DATA_DIR: await temporaryFolder(),
      BASE_URL: 'http://localhost:3000',
      STRIPE_SECRET_KEY: 'sk_test_stand_in',
      STRIPE_API_URL: stripe.url,
      STRIPE_WEBHOOK_SECRET: `whsec_before_the_rotation,${stripe.deliveries.secret}`,
      ...settings,
    };
    const config = readConfig(environment);
    const api = openStripe(config);
    const { faults } = api ? await setUpStripe(api, config.stripeAutomaticTax) : { faults: [] };
    if (faults.length > 0) throw new Error(faults.join('\n'));
    return new PaidService(db, stripe, environment);
  }

  /** Starts a server on this database; Stripe delivers to the one that started last. */
  async startServer(): Promise<string> {
    const server = await listen();
    const { close } = await serve(server, this.config);
    this.servers.push(close);
    const url = urlOf(server);
    this.stripe.deliveries.endpoint = `${url}/api/stripe/webhook`;
    return url;
  }

  /** Stops both clocks, ours and Stripe's, at a moment; what Stripe does on the way there has happened. */
  async setClock(at: Date): Promise<void> {
    await this.db.query(`
      create or replace function service_now() returns timestamptz language sql volatile parallel safe
      return timestamptz '${at.toISOString()}'
    `);
    this.stripe.passTimeUntil(at);
  }

  /** What stands behind `startCheckout`, for people without a session. */
  async openCheckout(): Promise<Checkout> {
    const log = createLog(this.config);
    const dataSource = await openDataSource(this.db.url, 'test checkout', 2, log, entities);
    closeAtEnd(() => dataSource.destroy());
    const stripe = openStripe(this.config)!;
    const customers = new CustomerStore(dataSource);
    return new Checkout({
      stripe,
      accounts: new AccountSync({ stripe, sync: new SubscriptionSync(stripe, log), customers, dataSource, log }),
      stripeCustomers: new StripeCustomers(stripe, customers),
      customers,
      subscriptions: new SubscriptionStore(dataSource),
      baseUrl: this.config.baseUrl,
      hasAutomaticTax: this.config.stripeAutomaticTax,
      log,
    });
  }

  /** Lets the outbox report what is due, at most one event a customer. */
  reportDue(): Promise<boolean> {
    return this.withStripe((stripe, pool, log) => new OverageReporter(stripe, pool, log).reportDue());
  }

  /** What an operator decides by `stripe resolve`. */
  resolveMeterEvent(event: string, wasCounted: boolean): Promise<boolean> {
    return this.withStripe((_, pool) => resolveMeterEvent(pool, event, wasCounted));
  }

  /** Lets the outbox report everything, beside the servers' own reporters. */
  reportOverage(): Promise<void> {
    return this.withStripe(async (stripe, pool, log) => {
      const reporter = new OverageReporter(stripe, pool, log);
      for (;;) {
        await reporter.reportDue();
        const [row] = await this.db.query<{ waiting: number }>(
          `select (select count(*) from overage_report where meter_event is null)::integer
                  + (select count(*) from meter_event where state = 'waiting')::integer as waiting`,
        );
        if (row!.waiting === 0) return;
      }
    });
  }

  /** Bills what a subscription used before it was ended by hand. */
  async settleLastBill(subscriptionId: string): Promise<void> {
    const log = createLog(this.config);
    const dataSource = await openDataSource(this.db.url, 'test worker', 2, log, entities);
    try {
      const stripe = openStripe(this.config)!;
      const sync = new SubscriptionSync(stripe, log);
      await new LastBill({ stripe, sync, hasAutomaticTax: false, log }).settle(dataSource.manager, subscriptionId);
    } finally {
      await dataSource.destroy();
    }
  }

  /** Ends what the account of a person who left, or was banned, has in Stripe. */
  async endSubscriptions(accountId: string): Promise<void> {
    const log = createLog(this.config);
    const stripe = openStripe(this.config)!;
    const dataSource = await openDataSource(this.db.url, 'test worker', 2, log, entities);
    const customers = new CustomerStore(dataSource);
    try {
      await new EndSubscriptions({ stripe, sync: new SubscriptionSync(stripe, log), customers, dataSource, log }).run({ accountId });
    } finally {
      await dataSource.destroy();
    }
  }

  private async withStripe<T>(work: (stripe: Stripe, pool: Pool, log: Logger) => Promise<T>): Promise<T> {
    const log = createLog(this.config);
    const pool = openPool(this.db.url, 'test worker', 2, log);
    try {
      return await work(openStripe(this.config)!, pool, log);
    } finally {
      await pool.end();
    }
  }

  /** What `audit --stripe` finds. */
  compareTotals(): Promise<AuditFinding[]> {
    return this.withStripe((_, pool) => checkStripeTotals(this.config, pool));
  }

  /** What of that is wrong. */
  async differences(): Promise<string[]> {
    return (await this.compareTotals()).flatMap(({ firstBreak }) => firstBreak ?? []);
  }

  /** What it finds of subscriptions. */
  compareSubscriptions(): Promise<AuditFinding> {
    return this.withStripe((stripe, pool) => checkStripeSubscriptions(stripe, pool));
  }

  /** What Stripe's meter holds for all customers together. */
  metered(): number {
    return [...this.stripe.world.usage.values()].filter(({ isCancelled }) => !isCancelled).reduce((sum, { value }) => sum + value, 0);
  }

  async stopServers(): Promise<void> {
    for (const close of this.servers.splice(0).reverse()) await close();
  }
}

/** Stripe, on loopback, as long as the test file. */
export async function openStripeStandIn(): Promise<StripeStandIn> {
  const stripe = new StripeStandIn();
  await stripe.listen();
  closeAtEnd(() => stripe.close());
  return stripe;
}
