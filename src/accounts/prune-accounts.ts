import type { Task } from '../jobs/task.js';
import type { MailedLinks } from './auth/mailed-links.js';
import type { Limiter } from './limits/limiter.js';
import type { KnownSources } from './sessions/recognized-devices.js';
import type { SessionStore } from './sessions/session.store.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      'prune-accounts': object;
    }
  }
}

/** Deletes expired sessions and mailed links, sources not seen for a year, and rate limit events older than every limit. */
export const pruneAccounts = (
  sessions: SessionStore,
  links: MailedLinks,
  knownSources: KnownSources,
  limiter: Limiter,
): Task<'prune-accounts'> => ({
  name: 'prune-accounts',
  timeLimitSeconds: 60,
  run: async () => {
    await sessions.prune();
    await links.prune();
    await knownSources.prune();
    await limiter.prune();
  },
});
