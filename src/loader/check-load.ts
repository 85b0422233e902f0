import type { Database } from '../database/database.js';
import { readCurrent, replacedRecords } from '../releases/catalogue/current-release.js';
import type { LoadCheck } from './load-answers.js';
import { type PreviewRequest, withPlan } from './prepare-load.js';
import { refusalOf, refusePlan } from './quality/refuse-plan.js';
import { RowPass } from './row-pass.js';

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
      rejections: pass.rejects.reasons.slice(0, shownReasons),
      replaces: replaced?.records ?? null,
      findings: refusal === null ? report.findings.map(({ message }) => message) : [],
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
