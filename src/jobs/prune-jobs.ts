import type { Pool } from 'pg';
import type { Task } from './task.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      'prune-jobs': object;
    }
  }
}

const keptDays = 7;

/** Deletes jobs that failed for good after a week: until then an operator can retry them, but their payload may hold personal data. */
export const pruneJobs = (pool: Pool): Task<'prune-jobs'> => ({
  name: 'prune-jobs',
  timeLimitSeconds: 60,
  run: async () => {
    await pool.query(
      `delete from graphile_worker._private_jobs
        where attempts >= max_attempts and locked_at is null and run_at < now() - make_interval(days => $1)`,
      [keptDays],
    );
  },
});
