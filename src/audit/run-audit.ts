import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Task } from '../jobs/task.js';
import type { AuditFinding, BooksCheck } from '../ledger/books-check.js';
import { type AuditProgress, audit } from './audit.js';
import type { AuditRun } from './audit-run.js';
import { type AuditRunStore, lastSeenAudit } from './audit-run.store.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      audit: object;
    }
  }
}

export interface AuditRequest {
  /** An account id, `commandLine` or `schedule`. */
  actor: string;
  /** `new` leaves out what an earlier audit found correct; `night` checks a share of that. Default: all. */
  scope?: 'all' | 'new' | 'night';
  /** Further checks, against data outside of the database. */
  alsoCheck?(): Promise<AuditFinding[]>;
  onProgress?(progress: AuditProgress): void;
  signal?: AbortSignal;
}

// An entry gets its time before its commit, and a clock may be set back a little.
const marginMs = 60 * 60 * 1000;

/** Audits the books and stores the findings for operators. */
export async function runAudit(
  pool: Pool,
  runs: AuditRunStore,
  checks: BooksCheck[],
  { actor, scope = 'all', alsoCheck, ...options }: AuditRequest,
): Promise<{ run: AuditRun; findings: AuditFinding[]; since: Date | null }> {
  // An audit that begins now sees everything committed before.
  const { rows } = await pool.query<{ beganAt: Date }>('select service_now() as "beganAt"');
  const lastHeldAt = await {
    all: () => null,
    new: () => runs.lastHeldAt(checks.flatMap(({ invariants }) => invariants)),
    // Without one, all is new that no audit has remembered yet.
    night: async () => new Date((await lastSeenAudit(runs.dataDir))?.heldAt ?? marginMs),
  }[scope]();
  const since = lastHeldAt && new Date(lastHeldAt.getTime() - marginMs);
  const findings = await audit(pool, checks, { ...options, since, roundsIn: scope === 'night' ? runs.dataDir : null });
  if (alsoCheck) findings.push(...(await alsoCheck().catch(notChecked)));
  return { run: await runs.write(actor, rows[0]!.beganAt, findings), findings, since };
}

/** The findings in the database are kept, even if something beside it could not be asked. */
const notChecked = (error: Error): AuditFinding[] => [
  { invariant: 'what is not in the database could be compared', checked: 0, firstBreak: error.message },
];

/**
 * Audits what is new and a share of the rest every night, stores its findings for operators, and logs broken invariants.
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
      scope: 'night',
      signal,
      ...(alsoCheck && { alsoCheck: () => alsoCheck(signal) }),
    });
    for (const { invariant, firstBreak } of findings) if (firstBreak) log.error({ invariant, firstBreak }, 'the books are broken');
  },
});
