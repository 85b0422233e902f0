import type { ClientBase } from 'pg';
import type { ReleaseComparison, ReleaseReport } from '../../parcels/release-report.js';
import { compareRecords } from './compare-releases.js';
import { judge, unaccepted } from './judge.js';

interface LoadedRelease extends Pick<ReleaseReport, 'filled' | 'beyondReason' | 'spread'> {
  id: number;
  countyFips: string;
  records: number;
}

interface CurrentRelease extends Pick<ReleaseComparison, 'releaseId' | 'records' | 'filled' | 'spread'> {
  beyondReason: ReleaseReport['beyondReason'] | null;
  isSample: boolean;
}

/**
 * What was found out of a release that is loaded and not yet published, held against the county's current one. To be called in the
 * transaction of the load: from here to its end no other release becomes the current one.
 * @param accept the names of findings that speak against publishing it, which the operator knows of
 */
export async function reportRelease(db: ClientBase, release: LoadedRelease, accept: string[]): Promise<ReleaseReport> {
  const { id, countyFips, records, filled, beyondReason, spread } = release;
  const current = await lockCurrent(db, countyFips);
  const comparison = current === undefined || current.isSample ? null : await compare(db, current, id);
  const facts = { replaces: current?.releaseId ?? null, filled, beyondReason, spread, comparison };
  const findings = judge(records, facts);
  const open = unaccepted(findings, accept);
  return { ...facts, findings, accepted: findings.filter((finding) => !open.includes(finding)).map(({ name }) => name) };
}

async function lockCurrent(db: ClientBase, countyFips: string): Promise<CurrentRelease | undefined> {
  await db.query('select from county where fips = $1 for no key update', [countyFips]);
  const { rows } = await db.query<CurrentRelease>(
    `select r.id as "releaseId", r.loaded_count as records, r.report -> 'filled' as filled, r.report -> 'beyondReason' as "beyondReason",
            r.report -> 'spread' as spread, r.is_sample as "isSample"
       from county c join parcel_release r on r.id = c.current_release_id
      where c.fips = $1`,
    [countyFips],
  );
  return rows[0];
}

async function compare(db: ClientBase, current: CurrentRelease, id: number): Promise<ReleaseComparison> {
  const { releaseId, records, filled, beyondReason, spread } = current;
  return { releaseId, records, filled, beyondReason: beyondReason ?? {}, spread, ...(await compareRecords(db, releaseId, id)) };
}
