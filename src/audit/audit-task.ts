import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Task } from '../jobs/task.js';
import type { BooksCheck } from '../ledger/books-check.js';
import type { AuditRunStore } from './audit-run.store.js';
import { runAudit } from './run-audit.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      audit: object;
    }
  }
}

/** Runs the full audit every night, stores its findings for operators, and logs broken invariants. */
export const auditTask = (pool: Pool, runs: AuditRunStore, checks: BooksCheck[], log: Logger): Task<'audit'> => ({
  name: 'audit',
  timeLimitSeconds: 6 * 60 * 60,
  run: async (_, { signal }) => {
    const { findings } = await runAudit(pool, runs, checks, { actor: 'schedule', signal });
    for (const { invariant, firstBreak } of findings) if (firstBreak) log.error({ invariant, firstBreak }, 'the books are broken');
  },
});
