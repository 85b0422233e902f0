import type { ClientBase, Pool } from 'pg';
import { AppError } from '../../core/errors.js';
import type { ReleasePart } from './release-part.js';
import type { ReleaseReport } from './release-report.js';

/** A county's current release, which a load is about to replace. */
export interface CurrentRelease {
  id: number;
  isSample: boolean;
  records: number;
  /** Null: the county was loaded as a whole. */
  parts: ReleasePart[] | null;
  /** The reports of the loads that brought its records, by release id. */
  reports: Map<number, ReleaseReport | null>;
}

/**
 * Reads the current release and locks it against replacement until the transaction ends.
 * @param releaseId the release that will replace it
 * @throws AppError conflict if the county was withdrawn since that release's load began
 */
export async function lockCurrent(db: ClientBase, fips: string, releaseId: number): Promise<CurrentRelease | undefined> {
  const { rows } = await db.query<{ isWithdrawn: boolean | null }>(
    `select c.withdrawn_at > r.started_at as "isWithdrawn" from county c, parcel_release r where c.fips = $1 and r.id = $2
        for no key update of c`,
    [fips, releaseId],
  );
  if (rows[0]?.isWithdrawn) {
    throw new AppError('conflict', 'The county was withdrawn during the load, so nothing was published. To offer it, load it again.');
  }
  return readCurrent(db, fips);
}

export async function readCurrent(db: ClientBase | Pool, fips: string): Promise<CurrentRelease | undefined> {
  const { rows } = await db.query<Omit<CurrentRelease, 'reports'>>(
    `select r.id, r.is_sample as "isSample", r.loaded_count as records, r.parts
       from county c join parcel_release r on r.id = c.current_release_id
      where c.fips = $1`,
    [fips],
  );
  const [current] = rows;
  if (!current) return undefined;
  const loads = current.parts?.map(({ loadedBy }) => loadedBy) ?? [current.id];
  const reports = await db.query<{ id: number; report: ReleaseReport | null }>(
    'select id, report from parcel_release where id = any($1::integer[])',
    [loads],
  );
  return { ...current, reports: new Map(reports.rows.map(({ id, report }) => [id, report])) };
}
