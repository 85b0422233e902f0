import type { Pool } from 'pg';
import type { Finding } from './audit-check.js';
import type { AuditRun } from './audit-run.js';
import { chainInvariant } from './ledger-checks.js';

interface AuditRunRow {
  ran_at: Date;
  findings: Finding[];
}

/** Audits that were run, from the console, the command line and by the schedule. */
export class AuditRunStore {
  constructor(private readonly pool: Pool) {}

  /** The service's time: what is committed by now, an audit that begins now sees. */
  async now(): Promise<Date> {
    const { rows } = await this.pool.query<{ now: Date }>('select service_now() as now');
    return rows[0]!.now;
  }

  /**
   * @param actor an account id, `command line` or `schedule`
   * @param ranAt when it began
   */
  async write(actor: string, ranAt: Date, findings: Finding[]): Promise<AuditRun> {
    const { rows } = await this.pool.query<AuditRunRow>(
      'insert into audit_run (actor, ran_at, findings) values ($1, $2, $3) returning ran_at, findings',
      [actor, ranAt, JSON.stringify(findings)],
    );
    return toAuditRun(rows[0]!);
  }

  async last(): Promise<AuditRun | null> {
    const { rows } = await this.pool.query<AuditRunRow>('select ran_at, findings from audit_run order by id desc limit 1');
    return rows[0] ? toAuditRun(rows[0]) : null;
  }

  /** When the last audit began that checked all of these invariants and found them to hold. */
  async lastHeldAt(invariants: string[]): Promise<Date | null> {
    const { rows } = await this.pool.query<{ ran_at: Date }>(
      `select ran_at from audit_run
        where not jsonb_path_exists(findings, '$[*].firstBreak ? (@ != null)')
          and jsonb_path_query_array(findings, '$[*].invariant') @> $1::jsonb
        order by id desc limit 1`,
      [JSON.stringify(invariants)],
    );
    return rows[0]?.ran_at ?? null;
  }
}

const toAuditRun = ({ ran_at, findings }: AuditRunRow): AuditRun => ({
  ranAt: ran_at,
  ok: findings.every(({ firstBreak }) => firstBreak === null),
  entriesChecked: findings.find(({ invariant }) => invariant === chainInvariant)?.checked ?? 0,
  checks: findings.map(({ invariant, firstBreak }) => ({ name: invariant, ok: firstBreak === null, detail: firstBreak })),
});
