import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Task } from '../jobs/task.js';
import type { AuditFinding, BooksCheck } from '../ledger/books-check.js';
import type { AuditRunStore } from './audit-run.store.js';
import { runAudit } from './run-audit.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      audit: object;
    }
  }
}

/**
 * Runs the full audit every night, stores its findings for operators, and logs broken invariants.
 * @param alsoCheck compares with what is not in the database
 */
export const auditTask = (
  pool: Pool,
  runs: AuditRunStore,
  checks: () => Promise<BooksCheck[]>,
  alsoCheck: ((signal?: AbortSignal) => Promise<AuditFinding[]>) | null,
  log: Logger,
): Task<'audit'> => ({
  name: 'audit',
  timeLimitSeconds: 6 * 60 * 60,
  run: async (_, { signal }) => {
    const { findings } = await runAudit(pool, runs, await checks(), {
      actor: 'schedule',
      signal,
      ...(alsoCheck && { alsoCheck: () => alsoCheck(signal) }),
    });
    for (const { invariant, firstBreak } of findings) if (firstBreak) log.error({ invariant, firstBreak }, 'the books are broken');
  },
});
