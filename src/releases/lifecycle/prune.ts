import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Task } from '../../jobs/task.js';
import { closeDeadLoads } from './dead-loads.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      'prune-releases': object;
    }
  }
}

export const defaultKeepDays = 7;
const rejectsKeptDays = 30;

// Small enough to hold locks only briefly and to stay within the pool's time limit for a statement.
const recordsPerBatch = 5_000;

export interface PrunedRelease {
  id: number;
  county_fips: string;
  records: number;
}

/**
 * Deletes the records of releases that were replaced, or held for review, longer ago than the retention time; never those of a current
 * release. Rejected rows stay as long as the records, and at least 30 days. Failed releases have none, since their transaction was rolled back.
 * @param actor for the activity log; null: the schedule
 */
export async function pruneReleases(pool: Pool, keepDays = defaultKeepDays, actor: string | null = null): Promise<PrunedRelease[]> {
  // Marks releases first, so that no rollback picks one whose records are being deleted. The second query finds what an interrupted prune
  // left.
  const { rows } = await pool.query<{ id: number; county_fips: string }>(
    `with due as (
       update parcel_release r
          set state = 'pruned'
        where (r.state = 'published'
               and r.superseded_at <= service_now() - make_interval(days => $1::integer)
               and not exists (select from county c where c.current_release_id = r.id))
           or (r.state = 'held' and r.ended_at <= service_now() - make_interval(days => $1::integer))
        returning r.id, r.county_fips
     ), recorded as (
       insert into admin_action (actor, action, target, after)
       select $2, 'prune release', county_fips, jsonb_build_object('pruned', id, 'keepDays', $1::integer) from due where $2::text is not null
     )
     select id, county_fips from due
     union
     select r.id, r.county_fips from parcel_release r
      where r.state = 'pruned' and exists (select from parcel p where p.release_id = r.id)
     order by id`,
    [keepDays, actor],
  );
  const pruned: PrunedRelease[] = [];
  for (const release of rows) pruned.push({ ...release, records: await deleteRecords(pool, release.id) });
  await pool.query(
    `delete from rejected_rows x using parcel_release r
      where r.id = x.release_id and r.state in ('failed', 'pruned') and r.ended_at < service_now() - make_interval(days => $1)`,
    [rejectsKeptDays],
  );
  return pruned;
}

// Deletes ranges of ordinals: searching the next remaining rows would scan all dead tuples before them each time.
async function deleteRecords(pool: Pool, releaseId: number): Promise<number> {
  const { rows } = await pool.query<{ first: number | null; last: number }>(
    `select min(ordinal) as first, max(ordinal) as last from parcel where release_id = $1`,
    [releaseId],
  );
  const { first, last } = rows[0]!;
  if (first === null) return 0;
  let records = 0;
  for (let from = first; from <= last; from += recordsPerBatch) {
    const range = [releaseId, from, from + recordsPerBatch - 1];
    await pool.query(`delete from parcel_attributes where release_id = $1 and first_ordinal between $2 and $3`, range);
    const { rowCount } = await pool.query(`delete from parcel where release_id = $1 and ordinal between $2 and $3`, range);
    records += rowCount ?? 0;
  }
  // Last: a replay may still read records with their digests.
  await pool.query('update parcel_release set content_digests = null where id = $1', [releaseId]);
  return records;
}

/** Deletes the records of releases that were replaced longer ago than the retention time, and closes loads whose process has died. */
export const pruneReleasesTask = (pool: Pool, log: Logger): Task<'prune-releases'> => ({
  name: 'prune-releases',
  timeLimitSeconds: 60 * 60,
  run: async () => {
    for (const dead of await closeDeadLoads(pool)) log.warn(dead, 'a load died before it was published');
    for (const pruned of await pruneReleases(pool)) log.info(pruned, 'the records of a replaced release were dropped');
  },
});
