import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { AuditFinding, BooksCheck } from '../database/books-check.js';
import type { Task } from '../jobs/task.js';
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
 * Checks the whole of the books every night. What it finds stands where operators look for it; a broken invariant is also said in the log.
 * @param alsoCheck compares with what is not in the database
 */
export const auditTask = (
  pool: Pool,
  runs: AuditRunStore,
  checks: BooksCheck[],
  alsoCheck: ((signal?: AbortSignal) => Promise<AuditFinding[]>) | null,
  log: Logger,
): Task<'audit'> => ({
  name: 'audit',
  timeLimitSeconds: 6 * 60 * 60,
  run: async (_, { signal }) => {
    const { findings } = await runAudit(pool, runs, checks, {
      actor: 'schedule',
      signal,
      ...(alsoCheck && { alsoCheck: () => alsoCheck(signal) }),
    });
    for (const { invariant, firstBreak } of findings) if (firstBreak) log.error({ invariant, firstBreak }, 'the books are broken');
  },
});
