import type { ClientBase } from 'pg';
import type { CurrentRelease, ReleasePart } from '../releases/catalogue/current-release.js';
import { keepOtherParts } from '../releases/catalogue/parts.js';
import type { ReleaseReport } from '../releases/catalogue/release-report.js';
import type { CountyToLoad } from '../releases/lifecycle/county-lock.js';
import { restoreStatus } from '../releases/lifecycle/county-lock.js';
import { endRelease, type ReleaseCounts } from '../releases/lifecycle/release.store.js';
import { recomputeDigests } from './write/read-digests.js';
import type { Placement } from './write/release-target.js';
import { haveSameAttributes } from './write/release-writer.js';

/** A load whose records were copied, in its transaction. */
interface CopiedLoad {
  releaseId: number;
  county: CountyToLoad;
  part: string | null;
  counts: ReleaseCounts;
  placement: Placement;
  /** The digests of the loaded records. */
  digests: Buffer;
  sourceSha256: Buffer;
  report: ReleaseReport;
}

export interface PublishedLoad {
  /** `held` when the report has findings that the operator has not accepted, `unchanged` when the current release has the same records. */
  state: 'published' | 'held' | 'unchanged';
  /** All parts of the release; null for a county that is loaded as a whole. */
  parts: ReleasePart[] | null;
}

/** Set before the records are copied. */
export const beforeRecords = 'before_records';

/**
 * Publishes a load, holds it for an operator, or, if it changes nothing, drops its records and keeps the current release, so that customers do
 * not buy the same records again.
 * @param republish whether a load that changes nothing is published
 */
export async function publishLoad(
  db: ClientBase,
  load: CopiedLoad,
  current: CurrentRelease | undefined,
  republish: boolean,
): Promise<PublishedLoad> {
  const { releaseId, county, part, counts, sourceSha256, report } = load;
  const release = { id: releaseId, counts, sourceSha256, report };
  if (!republish && (await changesNothing(db, load))) {
    await db.query(`rollback to ${beforeRecords}`);
    await endRelease(db, county.fips, 'unchanged', { ...release, parts: null, digests: null });
    await restoreStatus(db, county);
    return { state: 'unchanged', parts: current?.parts ?? null };
  }
  const parts = part === null ? null : await keepOtherParts(db, { releaseId, name: part, records: counts.loaded }, current);
  const digests = parts === null ? load.digests : await recomputeDigests(db, releaseId);
  const state = report.accepted.length === report.findings.length ? 'published' : 'held';
  await endRelease(db, county.fips, state, { ...release, parts, digests });
  if (state === 'held') await restoreStatus(db, county);
  return { state, parts };
}

/** Whether each record and its attributes are as they were, and those of all parts of the county still come as they came. */
async function changesNothing(db: ClientBase, { releaseId, counts, placement, report }: CopiedLoad): Promise<boolean> {
  const { comparison, findings } = report;
  if (comparison === null || comparison.added + comparison.gone + comparison.changed > 0) return false;
  if (findings.some(({ name }) => name === 'parts')) return false;
  const first = placement.recordsBefore + 1;
  return haveSameAttributes(db, { releaseId, first, records: counts.loaded }, comparison.releaseId);
}
