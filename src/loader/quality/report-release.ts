import type { ClientBase } from 'pg';
import { count } from '../../core/format-numbers.js';
import type { CurrentRelease } from '../../releases/catalogue/current-release.js';
import { type RecordRun, replacedRecords } from '../../releases/catalogue/current-release.js';
import type { ReleaseComparison } from '../../releases/catalogue/release-comparison.js';
import type { Finding, ReleaseReport } from '../../releases/catalogue/release-report.js';
import { findRegressions, unaccepted } from '../../releases/lifecycle/findings.js';
import { compareRecords, type DigestedRun } from './compare-releases.js';
import { compareNumbers, renamedPartFinding } from './renamed-parts.js';

interface LoadedRelease extends Pick<ReleaseReport, 'filled' | 'beyondReason' | 'notes' | 'fetched' | 'spread' | 'questions'> {
  id: number;
  part: string | null;
  records: number;
  /** The ordinal of its first record. */
  first: number;
  digests: Buffer;
  /** Fields whose columns are gone since the county's profile was made. */
  lost: Finding[];
}

/**
 * The report of loaded, unpublished records, compared with the records that they replace. Must run before other parts are copied into the
 * release.
 * @param old the digests of the records that they replace
 * @param accept the findings that the operator accepts
 */
export async function reportRelease(
  db: ClientBase,
  { id, part, records, first, digests, lost, ...found }: LoadedRelease,
  current: CurrentRelease | undefined,
  old: Buffer,
  accept: string[],
): Promise<ReleaseReport> {
  const replaced = replacedRecords(part, current);
  const loaded = { releaseId: id, first, records };
  const comparison = replaced && {
    ...(await compare(db, replaced, old, { ...loaded, digests })),
    ...(changesParts(part, current) && (await compareNumbers(db, replaced, loaded))),
  };
  const facts = { replaces: current?.id ?? null, ...found, comparison };
  const findings = [
    ...lost,
    ...partsFinding(part, current),
    ...(await renamedPartFinding(db, part, current, loaded)),
    ...findRegressions(records, facts),
  ];
  const open = unaccepted(findings, accept);
  return { ...facts, findings, accepted: findings.filter((finding) => !open.includes(finding)).map(({ name }) => name) };
}

async function compare(db: ClientBase, { first, ...replaced }: RecordRun, old: Buffer, loaded: DigestedRun): Promise<ReleaseComparison> {
  return { ...replaced, ...(await compareRecords(db, { releaseId: replaced.releaseId, first, digests: old }, loaded)) };
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
