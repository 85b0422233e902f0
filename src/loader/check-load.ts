import { AppError } from '../core/errors.js';
import type { Database } from '../database/database.js';
import { readCurrent, replacedRecords } from '../releases/catalogue/current-release.js';
import type { Finding } from '../releases/catalogue/release-report.js';
import type { ReleaseCounts } from '../releases/lifecycle/release.store.js';
import { type PreviewRequest, withPlan } from './prepare-load.js';
import { refusePlan } from './quality/refuse-plan.js';
import { RowPass } from './row-pass.js';

/** What a load would do, from all rows of its files. */
export interface LoadCheck extends ReleaseCounts {
  /** The most frequent reasons for which rows would be rejected. */
  reasons: { reason: string; rows: number }[];
  /** How many records it would replace; null if there are none. */
  replaces: number | null;
  /** Why its release would be held. A load finds more: it also compares each record with the current one. */
  findings: Finding[];
  warnings: string[];
  /** Why it would be refused; null if it would not. */
  refusal: string | null;
}

const shownReasons = 20;

/**
 * Reads all rows as a load does, joins them and builds their records, but writes none.
 * @param database its temporary tables hold the rows of a join
 * @throws AppError as `previewLoad`
 */
export function checkLoad(request: PreviewRequest, database: Pick<Database, 'url'>): Promise<LoadCheck> {
  return withPlan(request, async (prepared) => {
    const { facts, plan, options } = prepared;
    const current = await readCurrent(request.db, facts.county.fips);
    const pass = new RowPass(prepared);
    const refusal = await refusalOf(async () => {
      if (!options.force) refusePlan(prepared);
      await pass.run(database, 0, async () => {});
      pass.judge(null);
    });
    const replaced = replacedRecords(facts.part, current);
    const report = pass.report(current, replaced && { ...replaced, ...notCompared });
    return {
      ...pass.counts,
      reasons: pass.rejects.reasons.slice(0, shownReasons),
      replaces: replaced?.records ?? null,
      findings: refusal === null ? report.findings : [],
      warnings: refusal === null ? pass.warnings(report) : plan.warnings,
      refusal,
    };
  });
}

/** Records without ids cannot be compared: all may have stayed. */
const notCompared = {
  added: 0,
  gone: 0,
  unchanged: 0,
  changed: 0,
  examined: 0,
  changedFields: {},
  moved: 0,
  jumped: 0,
  changedRecords: [],
  goneNumbers: [],
  addedNumbers: [],
};

/** Why a check refuses a load; null if it does not. */
export async function refusalOf(check: () => void | Promise<void>): Promise<string | null> {
  try {
    await check();
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}
