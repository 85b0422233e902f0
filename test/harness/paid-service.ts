import type Stripe from 'stripe';
import { compareBooks } from '../../src/billing/reconcile/compare-with-stripe.js';
import { setUpStripe } from '../../src/billing/stripe/setup.js';
import { openStripe } from '../../src/billing/stripe/stripe-client.js';
import { type Config, readConfig } from '../../src/core/config.js';
import type { AuditFinding } from '../../src/ledger/books-check.js';
import { StripeStandIn } from '../stripe/stand-in.js';
import type { CheckoutPayment } from '../stripe/subscribing.js';
import { startApp } from './app.js';
import { Background } from './background.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { eventually } from './eventually.js';
import type { Person } from './person.js';
import { temporaryFolder } from './temporary-folder.js';

/** The service with a paid plan: a database of its own, a Stripe of its own, and as many servers as a test wants. */
export class PaidService {
  private readonly servers: (() => Promise<void>)[] = [];
  private opened: Promise<Background> | null = null;
  readonly config: Config;

  private constructor(
    readonly db: TestDatabase,
    readonly stripe: StripeStandIn,
    /** The environment of a process of the service. */
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
    const { url, close } = await startApp(this.environment, this);
    this.servers.push(close);
    this.stripe.deliveries.endpoint = `${url}/api/stripe/webhook`;
    return url;
  }

  /** Somebody pays the plan, and we hear of it. */
  async subscribe(person: Person, payment: CheckoutPayment = 'card'): Promise<{ session: string; subscription: Stripe.Subscription }> {
    const session = await person.startCheckout();
    return { session, subscription: await this.hears(this.stripe.completeCheckout(session, payment)) };
  }

  /** Delivers the events of what has just happened at Stripe. @returns the result of that */
  async hears<T>(happening: T | Promise<T>): Promise<T> {
    const result = await happening;
    await this.stripe.deliverAll();
    return result;
  }

  /** Stops both clocks, ours and Stripe's, at a moment; what Stripe does on the way there has happened. */
  async setClock(at: Date): Promise<void> {
    await this.db.setClock(at);
    this.stripe.passTimeUntil(at);
  }

  /** The service's own work with Stripe, beside what servers do. */
  get background(): Promise<Background> {
    this.opened ??= Background.open(this.config);
    return this.opened;
  }

  /** Lets some minutes pass by both clocks, which stand still from then on, until a period that has ended counts as closed, and bills it. */
  async billWhatHasEnded(): Promise<void> {
    await this.setClock(new Date((this.stripe.world.clock.now() + 300) * 1000));
    const background = await this.background;
    await eventually('neither a server nor this test has a job of billing left to do', async () => {
      await background.work();
      return background.isAtRest();
    });
  }

  /** Ends what the account of a person who left, or was banned, has in Stripe. */
  async endSubscriptions(accountId: string): Promise<void> {
    await (await this.background).run('end-subscriptions', { accountId });
  }

  /** The findings of `audit --stripe`. */
  async compareBooks(): Promise<AuditFinding[]> {
    return compareBooks(this.config, (await this.background).pool);
  }

  /** The broken ones of them. */
  async differences(): Promise<string[]> {
    return (await this.compareBooks()).flatMap(({ firstBreak }) => firstBreak ?? []);
  }

  async stopServers(): Promise<void> {
    for (const close of this.servers.splice(0).reverse()) await close();
  }
}

export const openStripeStandIn = (): Promise<StripeStandIn> => new StripeStandIn().listen();
