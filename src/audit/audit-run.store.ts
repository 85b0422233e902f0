import type { DataSource } from 'typeorm';
import type { AuditFinding } from '../ledger/books-check.js';
import { AuditRun } from './audit-run.js';

/** Finished audits, from the console, the command line and the schedule. */
export class AuditRunStore {
  constructor(private readonly dataSource: DataSource) {}

  /** The service's time. An audit that begins now sees everything committed before. */
  async now(): Promise<Date> {
    const [row] = await this.dataSource.query<{ now: Date }[]>('select service_now() as now');
    return row!.now;
  }

  /**
   * @param actor an account id, `commandLine` or `schedule`
   * @param ranAt when it began
   */
  write(actor: string, ranAt: Date, findings: AuditFinding[]): Promise<AuditRun> {
    return this.runs.save(this.runs.create({ actor, ranAt, findings }));
  }

  async last(): Promise<AuditRun | null> {
    return (await this.runs.find({ order: { id: 'DESC' }, take: 1 }))[0] ?? null;
  }

  /** When the last audit began in which all of these invariants held. */
  async lastHeldAt(invariants: string[]): Promise<Date | null> {
    const run = await this.runs
      .createQueryBuilder('r')
      .where(`not jsonb_path_exists(r.findings, '$[*].firstBreak ? (@ != null)')`)
      .andWhere(`jsonb_path_query_array(r.findings, '$[*].invariant') @> cast(:invariants as jsonb)`, {
        invariants: JSON.stringify(invariants),
      })
      .orderBy('r.id', 'DESC')
      .limit(1)
      .getOne();
    return run?.ranAt ?? null;
  }

  private get runs() {
    return this.dataSource.getRepository(AuditRun);
  }
}
