import type { CurrentRelease } from './current-release.js';
import { sumCounts } from './release-part.js';
import type { ReleaseReport } from './release-report.js';

/** Consecutive records of a release. */
export interface RecordRun {
  releaseId: number;
  first: number;
  records: number;
  /** From their reports; null: unknown. */
  filled: ReleaseReport['filled'] | null;
  beyondReason: ReleaseReport['beyondReason'];
  spread: ReleaseReport['spread'] | null;
}

/**
 * The records that a load of a part, or of the whole county, replaces; null: none. If the county was loaded as a whole, its records do not
 * tell their part, so all are replaced.
 */
export function replacedRecords(part: string | null, current: CurrentRelease | undefined): RecordRun | null {
  if (current === undefined || current.isSample) return null;
  const { id, parts, records, reports } = current;
  const all = parts ?? [{ name: null, loadedBy: id, first: 1, records }];
  const replaced = part === null || parts === null ? all : all.filter(({ name }) => name === part);
  if (replaced.length === 0) return null;
  const reportsOf = replaced.map(({ loadedBy }) => reports.get(loadedBy) ?? null);
  return {
    releaseId: id,
    first: replaced[0]!.first,
    records: replaced.reduce((sum, each) => sum + each.records, 0),
    filled: sumCounts(reportsOf.map((report) => report?.filled ?? null)),
    beyondReason: sumCounts(reportsOf.map((report) => report?.beyondReason ?? {}))!,
    spread: together(reportsOf.map((report) => report?.spread ?? null)),
  };
}

/** Sums the spreads of parts, which do not overlap. */
function together(spreads: (ReleaseReport['spread'] | null)[]): ReleaseReport['spread'] | null {
  const filled = sumCounts(spreads.map((spread) => spread && { filled: spread.filled }))?.filled;
  return filled === undefined ? null : { ...spreads[0]!, filled };
}
