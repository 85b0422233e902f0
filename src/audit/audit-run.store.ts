import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import type { AuditFinding } from '../ledger/books-check.js';
import { AuditRun } from './audit-run.js';

/** Finished audits, from the console, the command line and the schedule. */
export class AuditRunStore {
  constructor(
    private readonly dataSource: DataSource,
    readonly dataDir: string,
  ) {}

  /**
   * @param actor an account id, `commandLine` or `schedule`
   * @param ranAt when it began
   */
  async write(actor: string, ranAt: Date, findings: AuditFinding[]): Promise<AuditRun> {
    const run = await this.runs.save(this.runs.create({ actor, ranAt, findings }));
    const heldAt = run.ok ? ranAt.toISOString() : (await lastSeenAudit(this.dataDir))?.heldAt;
    const seen: SeenAudit = { held: run.ok, atMs: Date.now(), ...(heldAt && { heldAt }) };
    // A command may run where no server has its folder.
    await writeFile(fileOf(this.dataDir), JSON.stringify(seen)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    return run;
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

/** The last audit that was run with a DATA_DIR. Nobody who has only the database can change it, as they can a row. */
export interface SeenAudit {
  held: boolean;
  /** When it ended, in milliseconds since 1970. */
  atMs: number;
  /** When the last one began that held, by the service's clock. */
  heldAt?: string;
}

const fileOf = (dataDir: string): string => join(dataDir, 'last-audit.json');

export const lastSeenAudit = async (dataDir: string): Promise<SeenAudit | null> =>
  readFile(fileOf(dataDir), 'utf8').then(JSON.parse, () => null);
