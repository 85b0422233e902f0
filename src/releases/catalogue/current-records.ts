import type { CurrentRelease } from './current-release.js';
import { addUp } from './release-part.js';
import type { ReleaseReport } from './release-report.js';

/** Records that follow each other in a release. */
export interface RecordRun {
  releaseId: number;
  first: number;
  records: number;
  /** What their reports say of them; null: not known. */
  filled: ReleaseReport['filled'] | null;
  beyondReason: ReleaseReport['beyondReason'];
  spread: ReleaseReport['spread'] | null;
}

/**
 * The records that a load of a part takes the place of, or a load of the whole county; null: none. Where the county was loaded as a
 * whole, nobody knows which of its records are the part's: they are all replaced.
 */
export function replacedBy(part: string | null, current: CurrentRelease | undefined): RecordRun | null {
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
    filled: addUp(reportsOf.map((report) => report?.filled ?? null)),
    beyondReason: addUp(reportsOf.map((report) => report?.beyondReason ?? {}))!,
    spread: together(reportsOf.map((report) => report?.spread ?? null)),
  };
}

/** Parts of a county lie beside each other. */
function together(spreads: (ReleaseReport['spread'] | null)[]): ReleaseReport['spread'] | null {
  const filled = addUp(spreads.map((spread) => spread && { filled: spread.filled }))?.filled;
  return filled === undefined ? null : { ...spreads[0]!, filled };
}
