import type { ClientBase } from 'pg';
import { count } from '../../core/format-numbers.js';
import { type CurrentRelease, replacedRecords } from '../../releases/catalogue/current-release.js';
import type { ReleaseComparison } from '../../releases/catalogue/release-comparison.js';
import type { Finding } from '../../releases/catalogue/release-report.js';
import { compareRecords, type DigestedRun } from './compare-releases.js';
import { compareNumbers, renamedPartFinding } from './renamed-parts.js';

/**
 * Compares loaded, unpublished records with those that they replace, if there are any. Must run before other parts are copied into the
 * release.
 * @param old the digests of the records that they replace
 */
export async function compareLoaded(
  db: ClientBase,
  part: string | null,
  loaded: DigestedRun & { records: number },
  current: CurrentRelease | undefined,
  old: Buffer,
): Promise<{ comparison: ReleaseComparison | null; findings: Finding[] }> {
  const run = replacedRecords(part, current);
  if (run === null) return { comparison: null, findings: await renamedPartFinding(db, part, current, loaded) };
  const { first, ...replaced } = run;
  const comparison = {
    ...replaced,
    ...(await compareRecords(db, { releaseId: run.releaseId, first, digests: old }, loaded)),
    ...(changesParts(part, current) && (await compareNumbers(db, run, loaded))),
  };
  return { comparison, findings: await renamedPartFinding(db, part, current, loaded) };
}

/** Whether a county goes from a whole one to parts or back, which changes all ids. */
const changesParts = (part: string | null, current: CurrentRelease | undefined): boolean =>
  current !== undefined && !current.isSample && (part === null) !== (current.parts === null);

/** The finding of a part that would replace a whole county, or of a whole county that would replace parts. */
export function partsFinding(part: string | null, current: CurrentRelease | undefined): Finding[] {
  if (current === undefined || !changesParts(part, current)) return [];
  const message =
    current.parts === null
      ? `the county was loaded as a whole: ${part} alone would replace its ${count(current.records)} records`
      : `the county was loaded in parts: this file would replace ${current.parts.map(({ name }) => name).join(', ')}`;
  return [{ name: 'parts', message }];
}
