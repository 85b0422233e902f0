import type { Task } from '../jobs/task.js';
import type { KnownSources } from './known-sources.js';
import type { Limiter } from './limiter.js';
import type { MailedLinks } from './mailed-links.js';
import type { SessionStore } from './session.store.js';

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
