import type { Pool } from 'pg';
import { addJob } from '../../jobs/add-job.js';
import type { Task } from '../../jobs/task.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      'record-first-terms': object;
    }
  }
}

// Reads of these balances wait while their entries are written: under a tenth of a second.
const balancesAtOnce = 50;
const beforeAllIds = '00000000-0000-0000-0000-000000000000';

/**
 * Gives balances of a release that recorded no terms their first ones, with their tokens. Every start queues it, since only another release
 * opens such balances. With nothing to do, a million balances take about a second.
 */
export const recordFirstTerms = (pool: Pool): Task<'record-first-terms'> => ({
  name: 'record-first-terms',
  timeLimitSeconds: 60 * 60,
  run: async (_, { signal }) => {
    let after: string | null = beforeAllIds;
    while (after !== null) {
      signal.throwIfAborted();
      const { rows }: { rows: { last: string | null }[] } = await pool.query('select record_missing_terms($1, $2) as last', [
        after,
        balancesAtOnce,
      ]);
      after = rows[0]!.last;
    }
  },
});

export const queueFirstTerms = (pool: Pool): Promise<void> =>
  addJob(pool, 'record-first-terms', {}, { key: 'record-first-terms', queue: 'record-first-terms' });
