import type { Pool } from 'pg';
import type { Task } from '../jobs/task.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      'forget-webhook-payloads': object;
    }
  }
}

const keptDays = 30;

/** Empties settled events after a month: they hold names and addresses, also of people who have deleted their account since. */
export const forgetPayloads = (pool: Pool): Task<'forget-webhook-payloads'> => ({
  name: 'forget-webhook-payloads',
  timeLimitSeconds: 60,
  run: async () => {
    await pool.query(
      `update stripe_event set payload = null
        where state in ('handled', 'ignored') and payload is not null and received_at < service_now() - make_interval(days => $1)`,
      [keptDays],
    );
  },
});
