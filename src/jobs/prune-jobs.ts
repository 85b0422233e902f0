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

/** Failed jobs wait for an operator for a week; they may carry a mail with somebody's name in it. */
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
