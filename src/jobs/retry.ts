import type { Job } from 'graphile-worker';
import type { Pool } from 'pg';

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
