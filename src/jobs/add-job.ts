import type { StatementRunner } from '../database/statement-runner.js';
import type { TaskName } from './task.js';

export interface JobOptions {
  delaySeconds?: number;
  /** How often it is tried; the pauses grow to six hours. Left out: 25 times, which is some four days. */
  maxAttempts?: number;
  /** Of jobs with one key only the latest waits. */
  key?: string;
  /** Jobs of one queue run one at a time, wherever. */
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

/** Takes a job back. One that runs already is not stopped, but not tried again either. */
export async function removeJob(db: StatementRunner, key: string): Promise<void> {
  await db.query('select from graphile_worker.remove_job($1)', [key]);
}

/** Forgets jobs that carry these values, in whatever state they are, with all that they carry. */
export async function forgetJobs<Name extends TaskName>(
  db: StatementRunner,
  task: Name,
  values: Partial<GraphileWorker.Tasks[Name]>,
): Promise<void> {
  await db.query(
    `delete from graphile_worker._private_jobs j
      using graphile_worker._private_tasks t
      where t.id = j.task_id and t.identifier = $1 and j.payload::jsonb @> $2::jsonb`,
    [task, JSON.stringify(values)],
  );
}
