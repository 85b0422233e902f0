import { statfs } from 'node:fs/promises';
import type { Pool } from 'pg';
import { Args, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { DataSource } from 'typeorm';
import { auditChecks } from '../../audit/audit-checks.js';
import { AuditRun } from '../../audit/audit-run.js';
import type { AuditRunStore } from '../../audit/audit-run.store.js';
import { runAudit } from '../../audit/run-audit.js';
import { type Context, requireUser } from '../../core/context.js';
import { recordAction } from '../../operator-log/record-action.js';
import { ParcelReleaseEntity } from '../../releases/catalogue/parcel-release.entity.js';
import { Dashboard, DashboardArgs } from './dashboard.js';
import { readDashboard } from './dashboard.store.js';

/** Statistics of the service, and audits. */
@Authorized('admin')
@Resolver()
export class DashboardResolver {
  constructor(
    private readonly auditRuns: AuditRunStore,
    private readonly pool: Pool,
    private readonly dataSource: DataSource,
    private readonly dataDir: string,
  ) {}

  @Query(() => Dashboard)
  async dashboard(@Args() { days }: DashboardArgs): Promise<Dashboard> {
    const [stored, { bavail, blocks }, heldReleases] = await Promise.all([
      readDashboard(this.pool, days),
      statfs(this.dataDir),
      this.dataSource.getRepository(ParcelReleaseEntity).find({ where: { state: 'held' }, order: { id: 'DESC' }, take: 20 }),
    ]);
    return { ...stored, heldReleases, freeDiskShare: bavail / blocks };
  }

  @Query(() => AuditRun, { nullable: true, description: 'The latest audit; null before the first.' })
  lastAudit(): Promise<AuditRun | null> {
    return this.auditRuns.last();
  }

  @Mutation(() => AuditRun, { description: 'Checks all invariants of the ledger and billing. Takes as long as reading the whole ledger.' })
  async runAudit(@Ctx() context: Context): Promise<AuditRun> {
    const { id: actor } = requireUser(context);
    const { run } = await runAudit(this.pool, this.auditRuns, auditChecks, { actor });
    await recordAction(this.dataSource.manager, { actor, action: 'run audit', target: 'ledger', reason: null, after: { ok: run.ok } });
    return run;
  }
}
