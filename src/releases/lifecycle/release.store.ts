import type { ClientBase } from 'pg';
import type { StatementRunner } from '../../database/statement-runner.js';
import type { ReleasePart } from '../catalogue/current-release.js';
import type { ParcelReleaseEntity, ReleaseState } from '../catalogue/parcel-release.entity.js';
import type { ReleaseReport } from '../catalogue/release-report.js';
import { recordVersion } from '../record-fields/record-fields.js';

export interface NewRelease {
  countyFips: string;
  /** Null: the whole county. */
  part: string | null;
  source: string;
  sourceUrl: string | null;
  sourceDate: string | null;
  format: string;
  mapping: unknown;
  startedBy: string | null;
  isSample: boolean;
}

export interface ReleaseCounts {
  read: number;
  loaded: number;
  rejected: number;
}

/** Runs on the load's own connection, like the following functions: with the COPY of the records they are one transaction. */
export async function insertRelease(db: ClientBase, release: NewRelease): Promise<number> {
  const { rows } = await db.query<{ id: number }>(
    `insert into parcel_release (county_fips, source, source_url, source_date, format, mapping, started_by, is_sample, part, record_version)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     returning id`,
    [
      release.countyFips,
      release.source,
      release.sourceUrl,
      release.sourceDate,
      release.format,
      JSON.stringify(release.mapping),
      release.startedBy,
      release.isSample,
      release.part,
      recordVersion,
    ],
  );
  return rows[0]!.id;
}

export interface FinishedRelease {
  id: number;
  counts: ReleaseCounts;
  /** All parts of a county that is loaded in parts, including those taken over from the previous release. */
  parts: ReleasePart[] | null;
  /** Identifies each record and its content, in order (`RecordDigests` of the loader); null without records. */
  digests: Buffer | null;
  /** The hash of the loaded files. */
  sourceSha256: Buffer;
  report: ReleaseReport;
}

/**
 * Ends a load, in the transaction of its COPY. Gives up a held release of the county, since it was compared with another one; the next prune
 * deletes its records.
 * @param state published: it is the county's current one, and readers see all of it from the commit on. held: for an operator's review.
 *   unchanged: it changed no record, so the current release stays, and the county is known to be up to date. The caller has undone the COPY
 */
export async function endRelease(
  db: ClientBase,
  fips: string,
  state: 'published' | 'held' | 'unchanged',
  { id, counts, parts, digests, sourceSha256, report }: FinishedRelease,
): Promise<void> {
  await db.query(`update parcel_release set state = 'pruned' where county_fips = $1 and state = 'held'`, [fips]);
  const records = parts?.reduce((sum, part) => sum + part.records, 0) ?? counts.loaded;
  await db.query(
    `update parcel_release
        set state = $7, read_count = $2, loaded_count = $3, rejected_count = $4, content_digests = $5,
            source_sha256 = $10, report = $6, parts = $8, kept_count = $9, ended_at = service_now(),
            published_at = case when $7 = 'published' then service_now() end
      where id = $1`,
    [
      id,
      counts.read,
      records,
      counts.rejected,
      digests,
      JSON.stringify(report),
      state,
      parts && JSON.stringify(parts),
      records - counts.loaded,
      sourceSha256,
    ],
  );
  if (state === 'published') await makeCurrent(db, id, fips);
}

/**
 * Makes a release the county's current one, in place of another, in a transaction that has locked the county. A trigger raises the coverage
 * version, so that every server notices the change at its next read. The source date of a county in parts is that of its oldest part.
 * @param history the releases up to this one that a rollback may go back to; null: the former ones and this one
 */
export async function makeCurrent(db: StatementRunner, id: number, fips: string, history: number[] | null = null): Promise<void> {
  await db.query(
    `update parcel_release r set superseded_at = case when r.id <> $1 then service_now() end
       from county c where c.fips = $2 and r.id in (c.current_release_id, $1)`,
    [id, fips],
  );
  await db.query(
    `update county c
        set status = 'loaded', current_release_id = r.id, release_history = coalesce($3::integer[], c.release_history || r.id),
            parcel_count = r.loaded_count, loaded_at = r.published_at, is_sample = r.is_sample,
            source_date = (
              select case when bool_and(l.source_date is not null) then min(l.source_date) end
                from parcel_release l
               where l.id = r.id and r.parts is null
                  or l.id in (select (p ->> 'loadedBy')::integer from jsonb_array_elements(r.parts) p)
            )
       from parcel_release r
      where c.fips = $1 and r.id = $2`,
    [fips, id, history],
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

/** The state that operators see: `pruned` only if a release was published once. One that was held and never published is discarded. */
export const shownState = ({ state, publishedAt }: Pick<ParcelReleaseEntity, 'state' | 'publishedAt'>): ReleaseState | 'discarded' =>
  state === 'pruned' && publishedAt === null ? 'discarded' : state;
