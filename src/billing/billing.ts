import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Config } from '../config.js';
import { type Database, openPool } from '../database/database.js';
import { ChargeWatch } from './charge-watch.js';
import { EventEffects } from './event-effects.js';
import { EventInbox } from './event-inbox.js';
import { openStripe } from './stripe-client.js';
import { SubscriptionFollower } from './subscription-follower.js';
import { webhookHandler } from './webhook.js';

/** The billing room as the rest of the house sees it. */
export interface Billing {
  /** For `POST /api/stripe/webhook`, behind `express.raw` for every content type. */
  webhookHandler: RequestHandler;
  inbox: EventInbox;
  start(): void;
  stop(): Promise<void>;
}

// Handling an event waits for Stripe within its transaction. On connections of its own it keeps nobody else waiting,
// and a burst of deliveries queues here.
const webhookConnections = 3;

export function createBilling({ config, database, log }: { config: Config; database: Database; log: Logger }): Billing {
  const stripe = openStripe(config);
  const pool = openPool(database.url, 'webhooks', webhookConnections, log, { connectionTimeoutMillis: 12_000, lock_timeout: 12_000 });
  const inbox = new EventInbox(pool, stripe && new EventEffects(stripe, new SubscriptionFollower(stripe), new ChargeWatch(stripe)), log);
  return {
    webhookHandler: webhookHandler(config, inbox),
    inbox,
    start: () => {},
    stop: () => pool.end(),
  };
}
