import type { ClientBase } from 'pg';
import { type RecordRun, replacedBy } from '../../releases/catalogue/current-records.js';
import type { CurrentRelease } from '../../releases/catalogue/current-release.js';
import type { ReleaseComparison, ReleaseReport } from '../../releases/catalogue/release-report.js';
import { judge, unaccepted } from '../../releases/lifecycle/judge.js';
import { compareRecords, type DigestedRelease } from './compare-releases.js';
import { partsFinding } from './parts-finding.js';

interface LoadedRelease extends Pick<ReleaseReport, 'filled' | 'beyondReason' | 'spread'> {
  id: number;
  part: string | null;
  records: number;
  /** Of its records. */
  digests: Buffer;
}

/**
 * What was found out of the records that were loaded and are not yet published, held against those whose place they take. To be called
 * before the other parts of the county are there, too.
 * @param accept the names of findings that speak against publishing it, which the operator knows of
 */
export async function reportRelease(
  db: ClientBase,
  { id, part, records, digests, ...found }: LoadedRelease,
  current: CurrentRelease | undefined,
  accept: string[],
): Promise<ReleaseReport> {
  const replaced = replacedBy(part, current);
  const comparison = replaced && (await compare(db, replaced, { releaseId: id, digests }));
  const facts = { replaces: current?.id ?? null, ...found, comparison };
  const findings = [...partsFinding(part, current), ...judge(records, facts)];
  const open = unaccepted(findings, accept);
  return { ...facts, findings, accepted: findings.filter((finding) => !open.includes(finding)).map(({ name }) => name) };
}

async function compare(db: ClientBase, { first, ...replaced }: RecordRun, loaded: DigestedRelease): Promise<ReleaseComparison> {
  return { ...replaced, ...(await compareRecords(db, { ...replaced, first }, loaded)) };
}
