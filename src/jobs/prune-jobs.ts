import type { Pool } from 'pg';
import { deleteFailedJobs } from './private-tables.js';
import type { Task } from './task.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      'prune-jobs': object;
    }
  }
}

const keptDays = 7;

/** Deletes failed jobs after a week. Until then an operator can retry them; their payload may contain personal data. */
export const pruneJobs = (pool: Pool): Task<'prune-jobs'> => ({
  name: 'prune-jobs',
  timeLimitSeconds: 60,
  run: () => deleteFailedJobs(pool, keptDays),
});
