import type { Pool } from 'pg';
import { chainInvariant, type Finding } from './audit.js';
import type { AuditRun } from './audit-run.js';

interface AuditRunRow {
  ran_at: Date;
  findings: Finding[];
}

/** Audits that were run, from the console and the command line. */
export class AuditRunStore {
  constructor(private readonly pool: Pool) {}

  /** @param actor an account id, or `command line` */
  async write(actor: string, findings: Finding[]): Promise<AuditRun> {
    const { rows } = await this.pool.query<AuditRunRow>(
      'insert into audit_run (actor, findings) values ($1, $2) returning ran_at, findings',
      [actor, JSON.stringify(findings)],
    );
    return toAuditRun(rows[0]!);
  }

  async last(): Promise<AuditRun | null> {
    const { rows } = await this.pool.query<AuditRunRow>('select ran_at, findings from audit_run order by id desc limit 1');
    return rows[0] ? toAuditRun(rows[0]) : null;
  }
}

const toAuditRun = ({ ran_at, findings }: AuditRunRow): AuditRun => ({
  ranAt: ran_at,
  ok: findings.every(({ firstBreak }) => firstBreak === null),
  entriesChecked: findings.find(({ invariant }) => invariant === chainInvariant)?.checked ?? 0,
  checks: findings.map(({ invariant, firstBreak }) => ({ name: invariant, ok: firstBreak === null, detail: firstBreak })),
});
