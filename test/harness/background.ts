import type { Pool } from 'pg';
import type Stripe from 'stripe';
import type { DataSource } from 'typeorm';
import { createBilling } from '../../src/billing/billing.js';
import type { CheckoutArgs } from '../../src/billing/checkout/billing.resolver.js';
import { BillingResolver } from '../../src/billing/checkout/billing.resolver.js';
import { openStripe } from '../../src/billing/stripe/stripe-client.js';
import { SubscriptionSync } from '../../src/billing/subscriptions/subscription-sync.js';
import type { Config } from '../../src/core/config.js';
import type { Context } from '../../src/core/context.js';
import { createLog } from '../../src/core/log.js';
import { openDataSource, openPool } from '../../src/database/database.js';
import type { Task, TaskName } from '../../src/jobs/task.js';
import { entities } from '../../src/server/entities.js';
import { closeAtEnd } from './closing.js';

const { signal } = new AbortController();

// Of jobs `j` with their task `t`.
const isOurs = `t.identifier = any($1) and t.identifier <> 'find-overage'`;
const isDue = `j.attempts < j.max_attempts and coalesce((j.payload ->> 'dueAt')::timestamptz <= service_now(), j.run_at <= now())`;

/** Runs the service's work with Stripe without a server: its jobs when a test says so, one after the other, by the service's clock. */
export class Background {
  private readonly tasks: Map<string, Task>;
  private readonly sync: SubscriptionSync;
  private readonly billing: BillingResolver;

  private constructor(
    config: Config,
    readonly stripe: Stripe,
    readonly pool: Pool,
    private readonly dataSource: DataSource,
  ) {
    const log = createLog(config);
    const database = { controlPool: pool, controlDataSource: dataSource, webhookDataSource: dataSource };
    const { tasks, resolvers } = createBilling({ config, database, log, isHeld: () => false, stripe });
    this.tasks = new Map(tasks.map((task) => [task.name, task]));
    this.billing = resolvers.find((one) => one instanceof BillingResolver)!;
    this.sync = new SubscriptionSync(stripe, log);
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

  /** Asks like the console for somebody, who needs no session here. */
  as(id: string) {
    const { billing } = this;
    const context = { principal: { kind: 'user', user: { id, email: `${id}@example.com` } } } as Context;
    return {
      startCheckout: (args: CheckoutArgs = {}) => billing.startCheckout(context, args),
      subscription: async () => (await billing.subscription(context))!,
      nextBill: async () => (await billing.nextBill((await billing.subscription(context))!))!,
      invoices: () => billing.invoices(context),
      setOverageCap: (records: number | null) => billing.setOverageCap(context, { records }),
    };
  }

  /** Runs a task now. */
  run<Name extends TaskName>(name: Name, payload: GraphileWorker.Tasks[Name]): Promise<void> {
    return (this.tasks.get(name) as Task<Name>).run(payload, { id: '0', signal });
  }

  /** Runs the service's own work until nothing is left to do now. */
  async work(): Promise<void> {
    await this.run('read-stripe-events', {}).catch(() => undefined);
    await this.run('find-overage', {});
    while (await this.runNext());
  }

  /** Whether no job is due and no server is at one: a server at a customer's job keeps every other of that customer from us. */
  async isAtRest(): Promise<boolean> {
    const { rows } = await this.pool.query(
      `select from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
        where ${isOurs} and (j.locked_at is not null or ${isDue})`,
      [[...this.tasks.keys()]],
    );
    return rows.length === 0;
  }

  /** Runs the job that is due first. @returns whether there was one */
  async runNext(): Promise<boolean> {
    // Locked as the library does it: the job may schedule its successor under the same key, and no server runs one of its queue.
    const { rows } = await this.pool.query<{ id: string; queue: number | null; name: TaskName; payload: never }>(
      `with job as (
         select j.id, j.job_queue_id as queue, t.identifier as name, j.payload
           from graphile_worker._private_jobs j
           join graphile_worker._private_tasks t on t.id = j.task_id
           left join graphile_worker._private_job_queues q on q.id = j.job_queue_id
          where ${isOurs} and ${isDue} and j.locked_at is null and q.locked_at is null
          order by j.payload ->> 'dueAt', j.id limit 1 for update of j skip locked
       ), queue as (
         update graphile_worker._private_job_queues q set locked_at = now(), locked_by = 'test' from job where q.id = job.queue
       ), locked as (
         update graphile_worker._private_jobs j set locked_at = now(), locked_by = 'test' from job where j.id = job.id
       )
       select * from job`,
      [[...this.tasks.keys()]],
    );
    const [job] = rows;
    if (!job) return false;
    const isDone = await this.run(job.name, job.payload).then(
      () => true,
      () => false,
    );
    const ended = isDone
      ? 'delete from graphile_worker._private_jobs where id = $1'
      : `update graphile_worker._private_jobs
            set locked_at = null, locked_by = null, attempts = attempts + 1, run_at = now() + interval '10 seconds',
                payload = payload::jsonb || jsonb_build_object('dueAt', service_now() + interval '10 seconds') where id = $1`;
    await this.pool.query(ended, [job.id]);
    await this.pool.query('update graphile_worker._private_job_queues set locked_at = null, locked_by = null where id = $1', [job.queue]);
    return true;
  }

  /** As an event would have us do. */
  follow(subscriptionId: string): Promise<unknown> {
    return this.dataSource.transaction((manager) => this.sync.follow(manager, subscriptionId));
  }

  /** A server dies while it bills a customer, before this statement of it. @param statement from 0 */
  async crash(statement: number): Promise<void> {
    const { rows } = await this.pool.query<{ customer: string }>(
      `select payload ->> 'customer' as customer from graphile_worker._private_jobs where key like 'bill-overage %' order by payload ->> 'dueAt', id limit 1`,
    );
    const { query } = this.pool;
    let left = statement;
    // biome-ignore lint/suspicious/noExplicitAny: the driver's overloads
    this.pool.query = ((...call: any[]) =>
      left-- > 0 ? query.apply(this.pool, call as never) : Promise.reject(new Error('the server has died'))) as never;
    for (const { customer } of rows) await this.run('bill-overage', { customer }).catch(() => undefined);
    this.pool.query = query;
  }
}
