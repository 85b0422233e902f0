import type { ReleaseReport } from '../../releases/catalogue/release-report.js';
import type { PlaceTally } from '../location/match-tally.js';
import { missingNumbersWarning } from '../plan/missing-numbers.js';
import type { LoadPlan } from '../plan/plan-load.js';
import type { UnseenColumns } from '../plan/unseen-columns.js';
import { acresWarning } from './acres-warning.js';

/** What an operator should know of a load that was not refused. */
export function loadWarnings(
  plan: LoadPlan,
  unseen: UnseenColumns,
  places: PlaceTally,
  report: ReleaseReport,
  { read, loaded }: { read: number; loaded: number },
): string[] {
  return [
    ...plan.warnings,
    ...unseen.warnings(plan),
    ...places.warnings,
    ...missingNumbersWarning(plan, loaded, report.filled.apn),
    ...acresWarning(report, plan.mapping),
    ...cutWarning(read),
  ];
}

/** Says of a number of rows at which servers cut what they export, that it is one. */
const cutWarning = (read: number): string[] =>
  read >= 1000 && read <= 10_000 && read % 1000 === 0
    ? [`Exactly ${read} rows: servers cut exports at such numbers. Is the file whole?`]
    : [];
