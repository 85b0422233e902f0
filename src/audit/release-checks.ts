import { createHash } from 'node:crypto';
import { type AuditStep, ask, type BooksCheck, checkOfAll, checkOfEntries, rowsOf } from '../database/books-check.js';

/** What holds of releases and the reads that they were sold by. */
export const releaseChecks: BooksCheck[] = [
  checkOfEntries(
    'every segment lies within its release, which was published, and of the county that was asked for',
    `select count(*)::integer as checked,
            (array_agg(format('entry %s read records %s to %s of release %s%s, which has %s%s', s.id, s.first, s.first + s.count - 1, s.release_id,
                              ' for county ' || s.county_fips, coalesce(r.loaded_count, 0), ' of county ' || r.county_fips) order by s.id)
              filter (where r.id is null or s.first < 1 or s.count < 1 or s.first + s.count - 1 > r.loaded_count
                         or r.published_at is null or s.county_fips <> r.county_fips))[1] as first_break
       from (
         select e.id, e.county_fips, e.segments[i - 2] as release_id, e.segments[i - 1] as first, e.segments[i] as count
           from ledger_entry e, generate_series(3, coalesce(array_length(e.segments, 1), 0), 3) i
          where e.kind = 'read' and e.at >= $1::timestamptz
       ) s left join parcel_release r on r.id = s.release_id`,
  ),
  checkOfAll(
    'every readable release holds exactly the records it counts, numbered without gaps',
    `select count(*)::integer as checked,
            min(format('release %s counts %s records, %s are there, numbered %s to %s', r.id, r.loaded_count, p.count, p.first, p.last))
              filter (where p.count <> r.loaded_count or (r.loaded_count > 0 and (p.first <> 1 or p.last <> r.loaded_count))) as first_break
       from parcel_release r
      cross join lateral (select count(*) as count, min(ordinal) as first, max(ordinal) as last from parcel where release_id = r.id) p
      where r.state = 'published'`,
  ),
  {
    invariant: 'the records of a release are, letter for letter, those that were loaded',
    isOutsideSnapshot: true,
    run: checkRecordTexts,
  },
];

interface ChecksummedRelease {
  id: number;
  records: number;
  sha256: Buffer;
}

// A record with a long boundary takes some hundred kilobytes.
const fetchedAtOnce = 500;

/** @param since only releases that were published from then on */
async function* checkRecordTexts(db: Parameters<BooksCheck['run']>[0], since: Date | null): AsyncIterable<AuditStep> {
  const releases = await ask<ChecksummedRelease>(
    db,
    `select id, loaded_count as records, records_sha256 as sha256 from parcel_release
      where state = 'published' and records_sha256 is not null and published_at >= $1::timestamptz order by id`,
    [since ?? '-infinity'],
  );
  const total = releases.reduce((sum, { records }) => sum + records, 0);
  let done = 0;
  for (const release of releases) {
    // A release that is pruned meanwhile is there in its own snapshot, or not at all.
    await db.query('begin; set transaction isolation level repeatable read read only; set local statement_timeout = 0');
    const isThere = (await ask(db, `select from parcel_release where id = $1 and state = 'published'`, [release.id])).length === 1;
    const hash = createHash('sha256');
    const texts = rowsOf<{ record: string }>(
      db,
      'select record from parcel where release_id = $1 order by ordinal',
      [release.id],
      fetchedAtOnce,
    );
    if (isThere) {
      for await (const rows of texts) {
        hash.update(rows.map(({ record }) => `${record}\n`).join(''));
        done += rows.length;
        yield { checked: 0, firstBreak: null, share: Math.min(1, done / total) };
      }
    }
    await db.query('commit');
    const isBroken = isThere && !hash.digest().equals(release.sha256);
    const firstBreak = isBroken ? `the records of release ${release.id} are not those that were loaded` : null;
    yield { checked: isThere ? 1 : 0, firstBreak, share: total === 0 ? 1 : Math.min(1, done / total) };
  }
}
