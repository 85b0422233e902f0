import type { StatementRunner } from '../database/statement-runner.js';
import type { TaskName } from './task.js';

export interface JobOptions {
  delaySeconds?: number;
  /** The number of attempts; the pauses between them grow to six hours. Left out: 25, which takes some four days. */
  maxAttempts?: number;
  /** A new job replaces a waiting one of the same key. */
  key?: string;
  /** Jobs of one queue run one at a time, over all servers. */
  queue?: string;
}

/** Adds a job. In a transaction the job exists if that commits. */
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

/** Removes a job. One that is running is not stopped, but not tried again either. */
export async function removeJob(db: StatementRunner, key: string): Promise<void> {
  await db.query('select from graphile_worker.remove_job($1)', [key]);
}
