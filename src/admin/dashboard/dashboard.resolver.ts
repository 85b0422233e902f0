import type { Pool } from 'pg';
import { Args, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { auditChecks } from '../../audit/audit-checks.js';
import { AuditRun } from '../../audit/audit-run.js';
import type { AuditRunStore } from '../../audit/audit-run.store.js';
import { runAudit } from '../../audit/run-audit.js';
import { type Context, requireUser } from '../../core/context.js';
import type { AuditLog } from '../../operator-log/operator-log.js';
import { Dashboard, DashboardArgs } from './dashboard.js';
import type { DashboardStore } from './dashboard.store.js';

/** The service in numbers, and its audits. */
@Resolver()
export class DashboardResolver {
  constructor(
    private readonly store: DashboardStore,
    private readonly auditRuns: AuditRunStore,
    private readonly pool: Pool,
    private readonly auditLog: AuditLog,
  ) {}

  @Authorized('admin')
  @Query(() => Dashboard)
  dashboard(@Args() { days }: DashboardArgs): Promise<Dashboard> {
    return this.store.of(days);
  }

  @Authorized('admin')
  @Query(() => AuditRun, { nullable: true, description: 'The latest audit; null: none was run yet.' })
  lastAudit(): Promise<AuditRun | null> {
    return this.auditRuns.last();
  }

  @Authorized('admin')
  @Mutation(() => AuditRun, { description: 'Checks every invariant of the books; takes as long as reading the whole ledger.' })
  async runAudit(@Ctx() context: Context): Promise<AuditRun> {
    const { id: actor } = requireUser(context);
    const { run } = await runAudit(this.pool, this.auditRuns, auditChecks, { actor });
    await this.auditLog.write({ actor, action: 'run audit', target: 'ledger', reason: null, after: { ok: run.ok } });
    return run;
  }
}
