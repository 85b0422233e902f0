import { createHash } from 'node:crypto';
import type { ClientBase } from 'pg';
import { ask } from '../database/long-reads.js';
import type { AuditStep, BooksCheck } from '../ledger/books-check.js';

const asCounted = 'every readable release holds exactly the records it counts, numbered without gaps';
const asLoaded = 'the records of a release are, letter for letter, those that were loaded';

// A record with a long boundary takes a few hundred kilobytes.
const readAtOnce = 500;

interface Release {
  id: number;
  records: number;
  /** Of the texts that were loaded; null: unknown. */
  sha256: Buffer | null;
}

/** Invariants of releases. Those of the reads of them are in `entries/`. Records never change, so a few are read at a time. */
export const releaseChecks: BooksCheck[] = [
  {
    invariants: [asCounted, asLoaded],
    isInSlices: true,
    async *run(db, since) {
      const releases = await ask<Release>(
        db,
        `select id, loaded_count as records, records_sha256 as sha256 from parcel_release
          where state = 'published' and published_at >= $1::timestamptz order by id`,
        [since ?? '-infinity'],
      );
      const total = releases.reduce((sum, { records }) => sum + records, 0);
      let done = 0;
      for (const release of releases) {
        const found = await countRecords(db, release);
        yield { invariant: asCounted, checked: 1, firstBreak: await faultOf(db, release, found), share: done / total || 0 };
        for await (const step of compareTexts(db, release)) {
          yield { ...step, invariant: asLoaded, share: Math.min(1, (done + release.records * step.share) / total || 1) };
        }
        done += release.records;
      }
      yield { checked: 0, firstBreak: null, share: 1 };
    },
  },
];

/** @returns what is wrong, unless it was pruned meanwhile */
async function faultOf(db: ClientBase, { id }: Release, fault: string | null): Promise<string | null> {
  if (fault === null) return null;
  const isThere = await ask(db, `select from parcel_release where id = $1 and state = 'published'`, [id]);
  return isThere.length === 1 ? fault : null;
}

async function countRecords(db: ClientBase, { id, records }: Release): Promise<string | null> {
  const [row] = await ask<{ count: number; first: number; last: number }>(
    db,
    'select count(*)::integer as count, min(ordinal) as first, max(ordinal) as last from parcel where release_id = $1',
    [id],
  );
  const { count, first, last } = row!;
  if (count === records && (records === 0 || (first === 1 && last === records))) return null;
  return `release ${id} counts ${records} records, ${count} are there, numbered ${first} to ${last}`;
}

async function* compareTexts(db: ClientBase, release: Release): AsyncIterable<AuditStep> {
  if (!release.sha256) return;
  const hash = createHash('sha256');
  for (let last: number | null = 0, done = 0; last !== null; ) {
    const [row]: TextRow[] = await ask<TextRow>(db, textSql, [release.id, last]);
    if (row!.text !== null) hash.update(row!.text);
    [last, done] = [row!.last, done + row!.count];
    yield { checked: 0, firstBreak: null, share: Math.min(1, done / release.records || 1) };
  }
  const isAsLoaded = hash.digest().equals(release.sha256);
  const fault = isAsLoaded ? null : `the records of release ${release.id} are not those that were loaded`;
  yield { checked: 1, firstBreak: await faultOf(db, release, fault), share: 1 };
}

interface TextRow {
  text: string | null;
  count: number;
  last: number | null;
}

const textSql = `
  select string_agg(record || chr(10), '' order by ordinal) as text, count(*)::integer as count, max(ordinal) as last
    from (select ordinal, record from parcel where release_id = $1 and ordinal > $2 order by ordinal limit ${readAtOnce}) p`;
