import type { ClientBase } from 'pg';
import { ask, beginSnapshot } from '../database/long-reads.js';
import type { BooksCheck } from '../ledger/books-check.js';
import { hashRelease } from '../proofs/log/release-root.js';

const asCounted = 'every readable release holds exactly the records it counts, numbered without gaps';
const asHashed = 'the records and attributes of a release are, letter for letter, those that were hashed for the log';

interface Release {
  records: number;
  /** The hash of its records and attributes; null: not hashed yet. */
  root: Buffer | null;
  attributesSha256: Buffer | null;
}

/** Reads each release once. With a checkpoint, its hashes are compared with its leaf (`checkpoint/`). */
export const releaseCheck: BooksCheck = {
  invariants: [asCounted, asHashed],
  isInSlices: true,
  isInRounds: true,
  async *run(db, since, from = '0') {
    const releases = await ask<{ id: number; records: number }>(
      db,
      `select id, loaded_count as records from parcel_release where state = 'published' and published_at >= $1::timestamptz order by id`,
      [since ?? '-infinity'],
    );
    const total = releases.reduce((sum, { records }) => sum + records, 0);
    let done = 0;
    for (const { id, records } of releases) {
      done += records;
      if (id <= Number(from)) continue;
      // Each has its own snapshot: a release that is pruned meanwhile is complete in it, or absent.
      await db.query(beginSnapshot);
      const faults = await faultsOf(db, id);
      await db.query('commit');
      const share = done / total || 0;
      for (const [invariant, firstBreak] of faults) yield { invariant, checked: 1, firstBreak, share };
      yield { checked: 0, firstBreak: null, share, place: String(id) };
    }
    yield { checked: 0, firstBreak: null, share: 1 };
  },
};

async function faultsOf(db: ClientBase, id: number): Promise<[invariant: string, fault: string | null][]> {
  const [release] = await ask<Release>(
    db,
    `select r.loaded_count as records, h.root, h.attributes_sha256 as "attributesSha256"
       from parcel_release r left join release_root h on h.release_id = r.id where r.id = $1 and r.state = 'published'`,
    [id],
  );
  if (!release) return [];
  const { records, root, attributesSha256, isNumbered } = await hashRelease(db, id, () => {});
  const isCounted = records === release.records && isNumbered;
  const counted = isCounted
    ? null
    : `release ${id} counts ${release.records} records, and ${records} are there${isNumbered ? '' : ', not numbered from 1 on'}`;
  if (!release.root) return [[asCounted, counted]];
  const changed = !root.equals(release.root) ? 'records' : attributesSha256.equals(release.attributesSha256!) ? null : 'attributes';
  return [
    [asCounted, counted],
    [asHashed, changed && `the ${changed} of release ${id} are not those that were hashed`],
  ];
}
