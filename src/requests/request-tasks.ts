import type { Pool } from 'pg';
import type { Task } from '../jobs/task.js';
import type { RequestStore } from './request.store.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      'prune-requests': object;
    }
  }
}

export const pruneRequests = (pool: Pool): Task<'prune-requests'> => ({
  name: 'prune-requests',
  timeLimitSeconds: 60,
  run: async () => {
    await pool.query('select prune_requests()');
  },
});

/** Deletes the calls of an account that was deleted. */
export const forgetRequests = (store: RequestStore): Task<'forget-requests'> => ({
  name: 'forget-requests',
  timeLimitSeconds: 60,
  run: ({ accountId }) => store.forget(accountId),
});
