import type { Job } from 'graphile-worker';
import type { Pool, QueryConfig } from 'pg';
import type { StatementRunner } from '../database/statement-runner.js';
import type { TaskName } from './task.js';

// Everything that reaches graphile-worker's private tables, for which it has no public API. test/jobs/jobs.test.ts notices when a new
// version changes them.

const queryMs = 5_000;

/** Deletes jobs with these values in their payload, in whatever state they are. */
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

/** Deletes jobs that failed for good and were last due before that many days. */
export async function deleteFailedJobs(pool: Pool, days: number): Promise<void> {
  await pool.query(
    `delete from graphile_worker._private_jobs
      where attempts >= max_attempts and locked_at is null and run_at < now() - make_interval(days => $1)`,
    [days],
  );
}

/**
 * Adds a random time to the pause before a failed job's next attempt, so that jobs that failed together do not all run again at once. The
 * library itself waits e, e², … e¹⁰ seconds from here; with this each pause is up to twice that.
 * @param wasInterrupted whether the job failed only because this server stops: that counts as no attempt
 */
export async function scheduleRetry(pool: Pool, { id, locked_by }: Job, wasInterrupted: boolean): Promise<void> {
  await pool.query(
    wasInterrupted
      ? `update graphile_worker._private_jobs set attempts = attempts - 1 where id = $1 and locked_by = $2`
      : `update graphile_worker._private_jobs
            set run_at = greatest(run_at, now()) + random() * exp(least(attempts, 10)) * interval '1 second'
          where id = $1 and locked_by = $2`,
    [id, locked_by],
  );
}

/**
 * A server that runs jobs renews their locks every few seconds. Jobs whose lock was not renewed for `leaseSeconds` belong to a server
 * that was killed or lost its database, and may be run by others. The library by itself would wait for four hours.
 */
export class WorkerLease {
  constructor(
    private readonly pool: Pool,
    private readonly leaseSeconds: number,
  ) {}

  async renew(workerId: string): Promise<void> {
    await this.query(
      `with renewed as (
         update graphile_worker._private_jobs set locked_at = now() where locked_by = $1
       )
       update graphile_worker._private_job_queues set locked_at = now() where locked_by = $1`,
      [workerId],
    );
  }

  /** Unlocks the jobs of servers that have ended. The interrupted attempt counts, so a job that crashes servers fails for good some day. */
  async releaseDead(): Promise<void> {
    await this.query(
      `select graphile_worker.force_unlock_workers(array_agg(locked_by))
         from (
           select locked_by, locked_at from graphile_worker._private_jobs where locked_at is not null
           union
           select locked_by, locked_at from graphile_worker._private_job_queues where locked_at is not null
         ) locked
        where locked_at < now() - make_interval(secs => $1)
       having count(*) > 0`,
      [this.leaseSeconds],
    );
  }

  private async query(text: string, values: unknown[]): Promise<void> {
    await this.pool.query({ text, values, query_timeout: queryMs } as QueryConfig);
  }
}
