import type { StatementRunner } from '../database/statement-runner.js';
import type { TaskName } from './task.js';

export interface JobOptions {
  delaySeconds?: number;
  /** The number of attempts. The pauses between them grow to six hours. Default: 25, which takes about four days. */
  maxAttempts?: number;
  /** A new job replaces a waiting job with the same key. */
  key?: string;
  /** Jobs of a queue run one at a time, across all servers. */
  queue?: string;
}

/** Adds a job. In a transaction, the job exists if the transaction commits. */
export async function addJob<Name extends TaskName>(
  db: StatementRunner,
  task: Name,
  payload: GraphileWorker.Tasks[Name],
  { delaySeconds = 0, maxAttempts, key, queue }: JobOptions = {},
): Promise<void> {
  await db.query(
    `select from graphile_worker.add_job(
       $1, $2::json, queue_name => $3, run_at => now() + make_interval(secs => $4), max_attempts => $5, job_key => $6)`,
    [task, JSON.stringify(payload), queue ?? null, delaySeconds, maxAttempts ?? null, key ?? null],
  );
}

/** Removes a job. A running job is not stopped, but is not retried. */
export async function removeJob(db: StatementRunner, key: string): Promise<void> {
  await db.query('select from graphile_worker.remove_job($1)', [key]);
}
