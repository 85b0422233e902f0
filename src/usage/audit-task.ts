import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Task } from '../jobs/task.js';
import { type AuditCheck, audit } from './audit.js';
import { AuditRunStore } from './audit-run.store.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      audit: object;
    }
  }
}

/** Checks the books every night. What it finds stands where operators look for it; a broken invariant is also said in the log. */
export const auditTask = (pool: Pool, checks: AuditCheck[], log: Logger): Task<'audit'> => ({
  name: 'audit',
  timeLimitSeconds: 6 * 60 * 60,
  run: async () => {
    const findings = await audit(pool, checks);
    await new AuditRunStore(pool).write('schedule', findings);
    for (const { invariant, firstBreak } of findings) if (firstBreak) log.error({ invariant, firstBreak }, 'the books are broken');
  },
});
