import type { RequestHandler } from 'express';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type Stripe from 'stripe';
import { AuditLog } from '../audit-log/audit-log.js';
import type { Config } from '../config.js';
import { type Database, openPool } from '../database/database.js';
import { webhookLimits } from '../database/limits.js';
import { TokenStore } from '../tokens/token.store.js';
import { BillingResolver, type StripeServices } from './billing.resolver.js';
import { ChargeRecorder } from './charge-recorder.js';
import { Checkout } from './checkout.js';
import { ClosedAccounts } from './closed-accounts.js';
import { CustomerStore } from './customer.store.js';
import { CustomerPages } from './customer-pages.js';
import { EventHandlers } from './event-handlers.js';
import { EventInbox } from './event-inbox.js';
import { OverageReporter } from './overage-reporter.js';
import { openStripe } from './stripe-client.js';
import { SubscriptionStore } from './subscription.store.js';
import { SubscriptionSync } from './subscription-sync.js';
import { webhookHandler } from './webhook.js';
import { WebhookEventResolver } from './webhook-event.resolver.js';
import { WebhookEventStore } from './webhook-event.store.js';
import { Worker } from './worker.js';

/** The billing room as the rest of the house sees it. */
export interface Billing {
  /** For `POST /api/stripe/webhook`, behind `express.raw` for every content type. */
  webhookHandler: RequestHandler;
  resolvers: object[];
  inbox: EventInbox;
  /** Begins what goes on in the background: reporting overage, ending subscriptions of deleted accounts. */
  start(): void;
  stop(): Promise<void>;
}

// Handling an event waits for Stripe within its transaction. On connections of its own it keeps nobody else waiting.
const webhookConnections = 3;
const overagePauseMs = 2_000;
const closedAccountsPauseMs = 60_000;

export function createBilling({ config, database, log }: { config: Config; database: Database; log: Logger }): Billing {
  const stripe = openStripe(config);
  const pool = database.controlPool;
  const subscriptions = new SubscriptionStore(pool);
  const webhookPool = openPool(database.url, 'webhooks', webhookConnections, log, webhookLimits);
  const effects = stripe && new EventHandlers(stripe, new SubscriptionSync(stripe), new ChargeRecorder(stripe));
  const inbox = new EventInbox(webhookPool, effects, new AuditLog(webhookPool), log);
  const workers = stripe ? openWorkers(stripe, pool, log) : [];
  const services = stripe && openStripeServices(stripe, config, database, subscriptions, log);
  return {
    webhookHandler: webhookHandler(config, inbox),
    resolvers: [
      new BillingResolver(services, subscriptions, new TokenStore(pool)),
      new WebhookEventResolver(new WebhookEventStore(pool), inbox),
    ],
    inbox,
    start: () => {
      for (const worker of workers) worker.start();
    },
    stop: async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
      await webhookPool.end();
    },
  };
}

function openStripeServices(
  stripe: Stripe,
  config: Config,
  database: Database,
  subscriptions: SubscriptionStore,
  log: Logger,
): StripeServices {
  const customers = new CustomerStore(database.controlPool);
  return {
    checkout: new Checkout(stripe, customers, subscriptions, config.baseUrl, log),
    pages: new CustomerPages(stripe, customers, config.baseUrl),
  };
}

/** What needs Stripe and no request. */
function openWorkers(stripe: Stripe, pool: Pool, log: Logger): Worker[] {
  const reporter = new OverageReporter(stripe, pool, log);
  const closedAccounts = new ClosedAccounts(stripe, new SubscriptionSync(stripe), pool, log);
  return [
    new Worker('overage', overagePauseMs, () => reporter.reportDue(), log),
    new Worker('closed accounts', closedAccountsPauseMs, () => closedAccounts.endSubscriptions().then(() => false), log),
  ];
}
