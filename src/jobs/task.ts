import type { StatementRunner } from '../database/statement-runner.js';

/** The names of all tasks. Each room adds its own to the library's `GraphileWorker.Tasks`, with the payload of their jobs. */
export type TaskName = keyof GraphileWorker.Tasks;

/** A kind of job. A job may run more than once, because a server can end between doing the work and recording it. */
export interface Task<Name extends TaskName = TaskName> {
  name: Name;
  /** A job that takes longer has failed and is retried. */
  timeLimitSeconds: number;
  /** Whether it reaches people or Stripe. Its jobs wait while the database looks like a copy. */
  isOutbound?: boolean;
  run(payload: GraphileWorker.Tasks[Name], job: RunningJob): Promise<void>;
}

export interface RunningJob {
  id: string;
  /** Aborted at the time limit or when the server stops. A task that has not ended three seconds later is abandoned. */
  signal: AbortSignal;
}

export interface JobOptions {
  delaySeconds?: number;
  /** From when the delay counts, by `service_now()`. Default: now. */
  since?: Date;
  /** Whether the job is due by `service_now()`, even if that is moved meanwhile. */
  isServiceTime?: boolean;
  /** The number of attempts. The pauses between them grow to six hours. Default: 25, which takes about four days. */
  maxAttempts?: number;
  /** A new job replaces a waiting job with the same key. */
  key?: string;
  /** Whether the waiting job stays due when it was. */
  keepsTime?: boolean;
  /** Jobs with a lower one start first. Default: 0. */
  priority?: number;
  /** Jobs of a queue run one at a time, across all servers. */
  queue?: string;
}

/** Adds a job. In a transaction, the job exists if the transaction commits. */
export async function addJob<Name extends TaskName>(
  db: StatementRunner,
  task: Name,
  payload: GraphileWorker.Tasks[Name],
  { delaySeconds = 0, since, isServiceTime = false, maxAttempts, key, keepsTime = false, priority = 0, queue }: JobOptions = {},
): Promise<void> {
  await db.query(
    `select from (select coalesce($10, service_now()) + make_interval(secs => $4) as at) due
      cross join lateral graphile_worker.add_job(
       $1, case when $8 then ($2::jsonb || jsonb_build_object('dueAt', due.at))::json else $2::json end,
       queue_name => $3, run_at => now() + (due.at - service_now()), max_attempts => $5, job_key => $6,
       job_key_mode => case when $7 then 'preserve_run_at' else 'replace' end, priority => $9)`,
    [
      task,
      JSON.stringify(payload),
      queue ?? null,
      delaySeconds,
      maxAttempts ?? null,
      key ?? null,
      keepsTime,
      isServiceTime,
      priority,
      since,
    ],
  );
}

/** Removes a job. A running job is not stopped, but is not retried. */
export async function removeJob(db: StatementRunner, key: string): Promise<void> {
  await db.query('select from graphile_worker.remove_job($1)', [key]);
}
