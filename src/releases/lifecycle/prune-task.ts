import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Task } from '../../jobs/task.js';
import { closeDeadLoads } from './dead-loads.js';
import { pruneReleases } from './prune.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      'prune-releases': object;
    }
  }
}

/** Drops the records of releases that were replaced longer ago than the retention time, and closes loads whose process has ended. */
export const pruneReleasesTask = (pool: Pool, log: Logger): Task<'prune-releases'> => ({
  name: 'prune-releases',
  timeLimitSeconds: 60 * 60,
  run: async () => {
    for (const dead of await closeDeadLoads(pool)) log.warn(dead, 'a load had died; nothing of it was published');
    for (const pruned of await pruneReleases(pool)) log.info(pruned, 'the records of a replaced release were dropped');
  },
});
