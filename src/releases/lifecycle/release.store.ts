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

/**
 * Makes a release the county's current one; readers see all of it from the commit on. Must run in the transaction of the COPY.
 * Gives up a held release, since it was compared with another one.
 */
export async function publishRelease(db: ClientBase, fips: string, release: FinishedRelease): Promise<void> {
  await giveUpHeldOf(db, fips);
  await db.query(
    `update parcel_release set superseded_at = service_now()
      where id = (select current_release_id from county where fips = $1 for update)`,
    [fips],
  );
  await finishRelease(db, 'published', release);
  await db.query('update county set release_history = release_history || $2::integer where fips = $1', [fips, release.id]);
  await makeCurrent(db, release.id, fips);
}

/** Holds a release with its records for an operator's review, and gives up an earlier held one. Must run in the transaction of the COPY. */
export async function holdRelease(db: ClientBase, fips: string, release: FinishedRelease): Promise<void> {
  await giveUpHeldOf(db, fips);
  await finishRelease(db, 'held', release);
}

/**
 * Ends a load that changed no record: the current release stays, and the county is known to be up to date. Gives up a held release as every
 * load does. The caller has undone the COPY.
 */
export async function endUnchanged(db: ClientBase, fips: string, release: Omit<FinishedRelease, 'digests'>): Promise<void> {
  await giveUpHeldOf(db, fips);
  await finishRelease(db, 'unchanged', release);
}

export interface FinishedRelease {
  id: number;
  counts: ReleaseCounts;
  /** All parts of a county that is loaded in parts, including those taken over from the previous release. */
  parts: ReleasePart[] | null;
  /** Identifies each record and its content, in order (`RecordDigests` of the loader). */
  digests: Buffer;
  /** The hash of the loaded files. */
  sourceSha256: Buffer;
  report: ReleaseReport;
}

async function finishRelease(
  db: ClientBase,
  state: 'published' | 'held' | 'unchanged',
  { id, counts, parts, digests, sourceSha256, report }: Omit<FinishedRelease, 'digests'> & Partial<FinishedRelease>,
): Promise<void> {
  const records = parts?.reduce((sum, part) => sum + part.records, 0) ?? counts.loaded;
  await db.query(
    `update parcel_release
        set state = $7, read_count = $2, loaded_count = $3, rejected_count = $4, content_digests = $5,
            source_sha256 = $10, report = $6, parts = $8, kept_count = $9, ended_at = service_now(), published_at = case when $7 = 'published' then service_now() end
      where id = $1`,
    [
      id,
      counts.read,
      records,
      counts.rejected,
      digests ?? null,
      JSON.stringify(report),
      state,
      parts && JSON.stringify(parts),
      records - counts.loaded,
      sourceSha256,
    ],
  );
}

/** Gives up the county's held release; the next prune deletes its records. */
async function giveUpHeldOf(db: ClientBase, fips: string): Promise<void> {
  await db.query(`update parcel_release set state = 'pruned' where county_fips = $1 and state = 'held'`, [fips]);
}

/**
 * A trigger raises the coverage version, so that every server notices the change at its next read. The source date of a county in parts
 * is that of its oldest part.
 */
export async function makeCurrent(db: StatementRunner, id: number, fips: string): Promise<void> {
  await db.query(
    `update county c
        set status = 'loaded', current_release_id = r.id, parcel_count = r.loaded_count, loaded_at = r.published_at, is_sample = r.is_sample,
            source_date = (
              select case when bool_and(l.source_date is not null) then min(l.source_date) end
                from parcel_release l
               where l.id = r.id and r.parts is null
                  or l.id in (select (p ->> 'loadedBy')::integer from jsonb_array_elements(r.parts) p)
            )
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

/** The state that operators see: `pruned` only if a release was published once. One that was held and never published is discarded. */
export const shownState = ({ state, publishedAt }: Pick<ParcelReleaseEntity, 'state' | 'publishedAt'>): ReleaseState | 'discarded' =>
  state === 'pruned' && publishedAt === null ? 'discarded' : state;
