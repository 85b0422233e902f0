import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { Logger } from 'pino';
import type Stripe from 'stripe';
import type { Config } from '../core/config.js';
import { AppError } from '../core/errors.js';
import type { Database } from '../database/database.js';
import type { Task } from '../jobs/task.js';
import type { AuditFinding } from '../ledger/books-check.js';
import { plans } from '../ledger/plans.js';
import { TokenStore } from '../tokens/token.store.js';
import { BillingResolver, type StripeServices } from './checkout/billing.resolver.js';
import { Bills } from './checkout/bills.js';
import { Checkout } from './checkout/checkout.js';
import { findOverage } from './overage/find-overage.js';
import { OverageBiller } from './overage/overage-biller.js';
import { BillingDifferenceResolver } from './reconcile/billing-difference.resolver.js';
import { compareWithStripe } from './reconcile/compare-with-stripe.js';
import { openStripe, sharedPace } from './stripe/stripe-client.js';
import { AccountSync } from './subscriptions/account-sync.js';
import { CustomerStore } from './subscriptions/customer.store.js';
import { StripeCustomers, updateCustomerEmail } from './subscriptions/stripe-customers.js';
import { SubscriptionStore } from './subscriptions/subscription.store.js';
import { SubscriptionSync } from './subscriptions/subscription-sync.js';
import { EventHandlers } from './webhook/event-handlers.js';
import { EventInbox } from './webhook/event-inbox.js';
import { readEvents } from './webhook/read-events.js';
import { forgetPayloads, WebhookEventStore } from './webhook/stripe-event.store.js';
import { webhookHandlers } from './webhook/webhook.js';
import { WebhookEventResolver } from './webhook/webhook-event.resolver.js';

/** The billing room as `app.ts` uses it. */
export interface Billing {
  /** For `POST /api/stripe/webhook`, before any body parser. */
  webhookHandlers: (RequestHandler | ErrorRequestHandler)[];
  resolvers: object[];
  inbox: EventInbox;
  tasks: Task[];
  /** Compares the books with Stripe's; null without a Stripe key. */
  compareWithStripe: ((signal?: AbortSignal) => Promise<AuditFinding[]>) | null;
  /** Whether an account has a plan that renews. */
  hasRunningPlan(accountId: string): Promise<boolean>;
}

// Each costs two calls and more. The nightly audit has six hours for all.
const comparedEveryDays = 10;
const comparisonLimitMs = 4 * 3600_000;

interface BillingOptions {
  config: Config;
  database: Pick<Database, 'controlPool' | 'controlDataSource' | 'webhookDataSource'>;
  log: Logger;
  /** Whether nothing may be written to Stripe. */
  isHeld(): boolean;
  /** Default: as configured. */
  stripe?: Stripe;
}

export function createBilling(options: BillingOptions): Billing {
  const { config, database, log, isHeld, stripe = openStripe(config, { isHeld, pace: sharedPace(database.controlPool) }) } = options;
  const { controlDataSource: dataSource, webhookDataSource } = database;
  const subscriptions = new SubscriptionStore(dataSource);
  const customers = new CustomerStore(dataSource);
  const work = stripe && withStripe(stripe, subscriptions, customers, options);
  const inbox = new EventInbox(webhookDataSource, work?.handlers ?? null, log);
  return {
    webhookHandlers: webhookHandlers(config, inbox),
    resolvers: [
      new BillingResolver(
        work?.services ?? null,
        subscriptions,
        new Bills({ stripe, pool: database.controlPool, customers, log }),
        new TokenStore(dataSource),
      ),
      new WebhookEventResolver(new WebhookEventStore(dataSource), inbox),
      new BillingDifferenceResolver(database.controlPool),
    ],
    inbox,
    tasks: [...(work ? [...work.tasks, inbox.task()] : tasksWithoutStripe(customers)), forgetPayloads(webhookDataSource)] as Task[],
    compareWithStripe:
      stripe &&
      ((signal) =>
        compareWithStripe(stripe, database.controlPool, {
          afterDays: comparedEveryDays,
          limitMs: comparisonLimitMs,
          ...(signal && { signal }),
        })),
    hasRunningPlan: (accountId) => subscriptions.hasRunningPlan(accountId),
  };
}

/** The parts that call Stripe. */
function withStripe(stripe: Stripe, subscriptions: SubscriptionStore, customers: CustomerStore, { config, database, log }: BillingOptions) {
  const { controlPool: pool, webhookDataSource: dataSource } = database;
  const { baseUrl, stripeAutomaticTax: hasAutomaticTax } = config;
  const sync = new SubscriptionSync(stripe, log);
  const accounts = new AccountSync({ stripe, sync, customers, dataSource, log });
  const stripeCustomers = new StripeCustomers(stripe, customers);
  const thresholdCents = config.overageBillThresholdUsd === undefined ? null : config.overageBillThresholdUsd * 100;
  const { defaultOverageCapUsd: capUsd } = config;
  const defaultCap = capUsd === undefined ? undefined : Math.floor((capUsd * 100) / plans.paid.overageUnitCents);
  const services: StripeServices = {
    checkout: new Checkout({ defaultCap, stripe, accounts, stripeCustomers, customers, subscriptions, baseUrl, hasAutomaticTax, log }),
    accounts,
  };
  const endSubscriptions: Task<'end-subscriptions'> = {
    name: 'end-subscriptions',
    timeLimitSeconds: 120,
    isOutbound: true,
    run: ({ accountId }) => accounts.end(accountId),
  };
  const followAccount: Task<'follow-account'> = {
    name: 'follow-account',
    timeLimitSeconds: 120,
    isOutbound: true,
    run: ({ accountId }) => accounts.follow(accountId),
  };
  return {
    services,
    handlers: new EventHandlers(stripe, sync, accounts),
    tasks: [
      endSubscriptions,
      followAccount,
      updateCustomerEmail(stripe, customers),
      new OverageBiller(stripe, pool, thresholdCents, log).task(),
      findOverage(pool, thresholdCents),
      readEvents(stripe, pool, log),
    ] as Task[],
  };
}

/** Without a Stripe key these jobs succeed for accounts that never paid. For others they fail, so operators see them. */
const tasksWithoutStripe = (customers: CustomerStore): Task[] =>
  (['end-subscriptions', 'update-customer-email'] as const).map((name) => ({
    name,
    timeLimitSeconds: 10,
    run: async ({ accountId }: { accountId: string }) => {
      if (await customers.find(accountId)) throw new AppError('not_configured', `The job ${name} needs STRIPE_SECRET_KEY.`);
    },
  }));
