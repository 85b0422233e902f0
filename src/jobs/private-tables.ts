import type { Job } from 'graphile-worker';
import type { Pool, QueryConfig } from 'pg';
import type { StatementRunner } from '../database/statement-runner.js';
import type { Task, TaskName } from './task.js';

// All access to graphile-worker's private tables, where it has no public API. test/jobs/jobs.test.ts fails if a new version changes them.

const queryMs = 5_000;

/** Deletes jobs in any state that have these values in their payload. */
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

/** SQL for the part of an email's job that operators may see. The job's row in the library's view is `job`. The payload also has the link. */
export const subjectAndRecipient = `(
  select concat(p.payload ->> 'subject', ' to ', p.payload ->> 'recipient') from graphile_worker._private_jobs p where p.id = job.id
)`;

declare global {
  namespace GraphileWorker {
    interface Tasks {
      'prune-jobs': object;
    }
  }
}

/** Deletes failed jobs a week after they were last due. Until then an operator can retry them; their payload may contain personal data. */
export const pruneJobs = (pool: Pool): Task<'prune-jobs'> => ({
  name: 'prune-jobs',
  timeLimitSeconds: 60,
  run: async () => {
    await pool.query(
      `delete from graphile_worker._private_jobs
        where attempts >= max_attempts and locked_at is null and run_at < now() - interval '7 days'`,
    );
  },
});

/**
 * Adds jitter to the pause before a failed job's next attempt, so that jobs that failed together do not all retry at once. The library waits
 * e, e², … e¹⁰ seconds; with jitter up to twice that.
 * @param wasInterrupted whether the job failed only because this server stops, which does not count as an attempt
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
 * Each server renews the locks of its jobs every few seconds. If a lock was not renewed for `leaseSeconds`, its server was killed or lost the
 * database, and other servers may run the job. The library alone would wait four hours.
 */
export async function renewLocks(pool: Pool, workerId: string): Promise<void> {
  await query(
    pool,
    `with renewed as (
       update graphile_worker._private_jobs set locked_at = now() where locked_by = $1
     )
     update graphile_worker._private_job_queues set locked_at = now() where locked_by = $1`,
    [workerId],
  );
}

/** Unlocks the jobs of dead servers. The interrupted attempt counts, so a job that crashes servers runs out of attempts. */
export async function releaseDeadLocks(pool: Pool, leaseSeconds: number): Promise<void> {
  await query(
    pool,
    `select graphile_worker.force_unlock_workers(array_agg(locked_by))
       from (
         select locked_by, locked_at from graphile_worker._private_jobs where locked_at is not null
         union
         select locked_by, locked_at from graphile_worker._private_job_queues where locked_at is not null
       ) locked
      where locked_at < now() - make_interval(secs => $1)
     having count(*) > 0`,
    [leaseSeconds],
  );
}

/** The library knows only `now()`. Where `service_now()` was moved, this makes the jobs due that are due by it. */
export async function followServiceTime(pool: Pool): Promise<void> {
  await query(
    pool,
    `update graphile_worker._private_jobs set run_at = now()
      where (select abs(extract(epoch from service_now() - now())) > 1)
        and run_at > now() and (payload ->> 'dueAt')::timestamptz <= service_now()`,
    [],
  );
}

const query = (pool: Pool, text: string, values: unknown[]) => pool.query({ text, values, query_timeout: queryMs } as QueryConfig);
