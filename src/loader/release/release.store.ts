import type { ClientBase, Pool } from 'pg';
import { AppError } from '../../errors.js';

export interface NewRelease {
  countyFips: string;
  source: string;
  sourceUrl: string | null;
  sourceSha256: Buffer;
  sourceDate: string | null;
  format: string;
  mapping: unknown;
  startedBy: string | null;
}

export interface ReleaseCounts {
  read: number;
  loaded: number;
  rejected: number;
}

/** A release as its history shows it. */
export interface ReleaseRow {
  id: number;
  state: 'loading' | 'published' | 'failed' | 'pruned';
  is_current: boolean;
  source: string;
  source_date: string | null;
  format: string;
  read_count: number;
  loaded_count: number;
  rejected_count: number;
  failure: string | null;
  started_by: string | null;
  started_at: Date;
  published_at: Date | null;
  superseded_at: Date | null;
}

export async function insertRelease(db: ClientBase, release: NewRelease): Promise<number> {
  const { rows } = await db.query<{ id: number }>(
    `insert into parcel_release (county_fips, source, source_url, source_sha256, source_date, format, mapping, started_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     returning id`,
    [
      release.countyFips,
      release.source,
      release.sourceUrl,
      release.sourceSha256,
      release.sourceDate,
      release.format,
      JSON.stringify(release.mapping),
      release.startedBy,
    ],
  );
  return rows[0]!.id;
}

/**
 * Makes a release the county's current one; readers see it whole from the commit on. Belongs into the transaction of its COPY.
 * @param recordsSha256 of the records' texts in their order, each with a newline behind it
 */
export async function publishRelease(
  db: ClientBase,
  id: number,
  fips: string,
  counts: ReleaseCounts,
  recordsSha256: Buffer,
): Promise<void> {
  await db.query(
    `update parcel_release set superseded_at = service_now()
      where id = (select current_release_id from county where fips = $1 for update)`,
    [fips],
  );
  await db.query(
    `update parcel_release
        set state = 'published', read_count = $2, loaded_count = $3, rejected_count = $4, records_sha256 = $5,
            ended_at = service_now(), published_at = service_now()
      where id = $1`,
    [id, counts.read, counts.loaded, counts.rejected, recordsSha256],
  );
  await db.query('update county set release_history = release_history || $2::integer where fips = $1', [fips, id]);
  await makeCurrent(db, id, fips);
}

/** Every server notices with its next read: the version of coverage has changed. */
async function makeCurrent(db: ClientBase, id: number, fips: string): Promise<void> {
  await db.query(
    `update county c
        set status = 'loaded', current_release_id = r.id, parcel_count = r.loaded_count, source_date = r.source_date, loaded_at = r.published_at
       from parcel_release r
      where c.fips = $1 and r.id = $2`,
    [fips, id],
  );
}

export async function failRelease(db: ClientBase, id: number, counts: ReleaseCounts, failure: string): Promise<void> {
  await db.query(
    `update parcel_release
        set state = 'failed', read_count = $2, loaded_count = $3, rejected_count = $4, failure = $5, ended_at = service_now()
      where id = $1`,
    [id, counts.read, counts.loaded, counts.rejected, failure],
  );
}

/** A county's history, the newest first. */
export async function listReleases(db: ClientBase | Pool, fips: string): Promise<ReleaseRow[]> {
  const { rows } = await db.query<ReleaseRow>(
    `select r.id, r.state, c.current_release_id is not distinct from r.id as is_current, r.source, r.source_date::text, r.format,
            r.read_count, r.loaded_count, r.rejected_count, r.failure, r.started_by, r.started_at, r.published_at, r.superseded_at
       from parcel_release r
       join county c on c.fips = r.county_fips
      where r.county_fips = $1
      order by r.id desc`,
    [fips],
  );
  return rows;
}

/**
 * Makes the release that was current before the current one current again, or of a withdrawn county the one that was withdrawn.
 * By what was published when, so that a release once rolled back does not return by another rollback. Runs in a transaction of
 * the caller's.
 * @throws AppError when there is none that still has its records
 */
export async function rollBack(db: ClientBase, fips: string): Promise<{ from: number | null; to: number }> {
  const { rows: counties } = await db.query<{ current: number | null; history: number[] }>(
    `select current_release_id as current, release_history as history from county where fips = $1 for update`,
    [fips],
  );
  if (!counties[0]) throw new AppError('not_found', `There is no county with the FIPS code ${fips}.`);
  const { current, history } = counties[0];
  const earlier = current === null ? history : history.slice(0, -1);
  const { rows: readable } = await db.query<{ id: number }>(
    `select id from parcel_release where id = any($1) and state = 'published' for update`,
    [earlier],
  );
  const index = earlier.findLastIndex((id) => id !== current && readable.some((release) => release.id === id));
  const to = earlier[index];
  if (to === undefined) throw new AppError('conflict', `${fips} has no earlier release that still has its records.`);
  await db.query(`update county set release_history = $2 where fips = $1`, [fips, earlier.slice(0, index + 1)]);
  await db.query(`update parcel_release set superseded_at = case when id = $1 then null else service_now() end where id in ($1, $2)`, [
    to,
    current,
  ]);
  await makeCurrent(db, to, fips);
  return { from: current, to };
}

/**
 * Makes any release that still has its records the current one. Runs in a transaction of the caller's.
 * @throws AppError when it has none
 */
export async function republish(db: ClientBase, id: number): Promise<void> {
  const { rows } = await db.query<{ county_fips: string; is_readable: boolean }>(
    `select county_fips, state = 'published' as is_readable from parcel_release where id = $1 for update`,
    [id],
  );
  const release = rows[0];
  if (!release?.is_readable) throw new AppError('conflict', `Release ${id} has no records that could be published.`);
  await db.query(
    `update parcel_release set superseded_at = case when id = $1 then null else service_now() end
      where id = $1 or id = (select current_release_id from county where fips = $2 for update)`,
    [id, release.county_fips],
  );
  await db.query(
    `update county set release_history = release_history || $2::integer where fips = $1 and current_release_id is distinct from $2`,
    [release.county_fips, id],
  );
  await makeCurrent(db, id, release.county_fips);
}
