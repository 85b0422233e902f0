import type { DataSource } from 'typeorm';
import type { Task } from '../jobs/task.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      'prune-accounts': object;
    }
  }
}

const outdated = [
  // better-auth deletes only those that a request happens to read.
  'auth.session where "expiresAt" < now()',
  'auth.verification where "expiresAt" < now()',
  'auth.mailed_link where expires_at < service_now()',
  "auth.known_source where seen_at < service_now() - interval '1 year'",
  // The longest limit that is counted there lasts a day.
  "auth.rate_limit_event where at < service_now() - interval '25 hours'",
];

export const pruneAccounts = (dataSource: DataSource): Task<'prune-accounts'> => ({
  name: 'prune-accounts',
  timeLimitSeconds: 60,
  run: async () => {
    for (const rows of outdated) await dataSource.query(`delete from ${rows}`);
  },
});
