import type { ReleaseReport } from '../../releases/catalogue/release-report.js';
import type { Mapping } from '../columns/fields.js';
import type { MatchTally } from '../location/match-tally.js';
import { missingNumbersWarning } from '../plan/missing-numbers.js';
import type { LoadPlan } from '../plan/plan-load.js';
import type { UnseenColumns } from '../plan/unseen-columns.js';

/** The warnings in a load's summary. */
export function loadWarnings(
  plan: LoadPlan,
  unseen: UnseenColumns,
  matches: MatchTally,
  report: ReleaseReport,
  { read, loaded }: { read: number; loaded: number },
): string[] {
  return [
    ...plan.warnings,
    ...unseen.warnings(plan),
    ...matches.warnings,
    ...missingNumbersWarning(plan, loaded, report.filled.apn ?? 0),
    ...acresWarning(report, plan.mapping),
    ...(typeof report.fetched?.records === 'number' ? [] : cutWarning(read)), // a fetch compares with the server's count
    ...report.notes,
  ];
}

/** Warns of a row count at which servers cut exports. */
const cutWarning = (read: number): string[] =>
  read >= 1000 && read <= 10_000 && read % 1000 === 0
    ? [`The file has exactly ${read} rows, a number at which servers cut exports off. Check that it is complete.`]
    : [];

/** Warns when most acres contradict their shapes: the unit or the column is wrong. */
function acresWarning({ filled, beyondReason }: Pick<ReleaseReport, 'filled' | 'beyondReason'>, { acres }: Mapping): string[] {
  const odd = beyondReason.acres ?? 0;
  const most = Math.min(filled.acres ?? 0, filled.gis_acres ?? 0);
  if (!acres || odd * 2 <= most) return [];
  const column = acres.columns.join('+');
  const [unit, other] = acres.unit ? ['square feet', 'acres'] : ['acres', 'sqft'];
  return [
    `${odd} of ${filled.acres} acres are less than a tenth or more than ten times those of their shapes: ${column} is read as ${unit}; ` +
      `--map acres=${column}:${other} reads ${acres.unit ? 'acres' : 'square feet'}.`,
  ];
}
