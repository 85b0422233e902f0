import type { ClientBase } from 'pg';
import { rowsOf } from '../../database/long-reads.js';
import { disambiguateIds, discriminatorsOf, type Identity, idLength, idStart, numberKey } from '../records/disambiguate-ids.js';
import type { ReleaseTarget } from './release-target.js';

/** The records of one parcel number, by their ordinals. */
interface Group {
  key: string;
  apn: string | null;
  ordinals: number[];
}

const recordsAtOnce = 1000;
const numbersAtOnce = 10_000;

/**
 * Records whose parcel number is scattered over the file get the ids that they would have if they were adjacent. Runs in the transaction of
 * the COPY, so nobody has seen other ids. Postgres has no statistics for rows this new, and plans joins as if they were few, so records are
 * found by ordinals only.
 * @param scattered the keys of these numbers (see `numberKey`)
 * @returns how many records repeat another in every field, by number
 */
export async function assignScatteredIds(target: ReleaseTarget, scattered: ReadonlySet<string>): Promise<Map<string, number>> {
  const repeated = new Map<string, number>();
  let some: Group[] = [];
  let records = 0;
  for (const group of await findGroups(target, scattered)) {
    some.push(group);
    records += group.ordinals.length;
    if (records < recordsAtOnce) continue;
    await assignIds(target, some, repeated);
    some = [];
    records = 0;
  }
  await assignIds(target, some, repeated);
  return repeated;
}

async function findGroups({ db, releaseId }: ReleaseTarget, scattered: ReadonlySet<string>): Promise<Iterable<Group>> {
  const groups = new Map<string, Group>();
  // Records without a number are grouped by their position, which is only in the record.
  const query = `select ordinal, apn, case when apn is null then record end as record from parcel where release_id = $1`;
  for await (const rows of rowsOf<NumberRow>(db, query, [releaseId], numbersAtOnce)) {
    for (const { ordinal, apn, record } of rows) {
      const key = numberKey(apn, record === null ? null : JSON.parse(record));
      if (!scattered.has(key)) continue;
      const group = groups.get(key);
      if (group) group.ordinals.push(ordinal);
      else groups.set(key, { key, apn, ordinals: [ordinal] });
    }
  }
  return groups.values();
}

interface NumberRow {
  ordinal: number;
  apn: string | null;
  record: string | null;
}

async function assignIds({ db, releaseId, scope }: ReleaseTarget, groups: Group[], repeated: Map<string, number>): Promise<void> {
  const ordinals = groups.flatMap((group) => group.ordinals);
  const discriminators = new Map<number, string[]>();
  for (const some of inBatches(ordinals)) {
    const { rows } = await db.query<{ ordinal: number; record: string }>(
      'select ordinal, record from parcel where release_id = $1 and ordinal = any($2)',
      [releaseId, some],
    );
    for (const { ordinal, record } of rows) discriminators.set(ordinal, discriminatorsOf(record));
  }
  const identities = new Map<number, Identity>();
  for (const { key, apn, ordinals } of groups) {
    const all = ordinals.map((ordinal) => discriminators.get(ordinal)!);
    const own = disambiguateIds(scope, apn, key, all);
    const several = all.length - new Set(all.map((each) => JSON.stringify(each))).size;
    if (several > 0) repeated.set(key, several);
    for (const [i, ordinal] of ordinals.entries()) identities.set(ordinal, own[i]!);
  }
  for (const some of inBatches(ordinals)) {
    const own = some.map((ordinal) => identities.get(ordinal)!);
    await write(db, releaseId, some, own);
  }
}

/** Does the same in SQL as `withIdentity`. */
async function write(db: ClientBase, releaseId: number, ordinals: number[], identities: Identity[]): Promise<void> {
  await db.query(
    `update parcel p
        set record = left(p.record, ${idStart}) || i.id || regexp_replace(substr(p.record, ${idStart + idLength + 1}), '"apn_sequence":\\d+', '"apn_sequence":' || i.sequence)
       from unnest($2::integer[], $3::text[], $4::integer[]) i (ordinal, id, sequence)
      where p.release_id = $1 and p.ordinal = any($2) and p.ordinal = i.ordinal`,
    [releaseId, ordinals, identities.map(({ id }) => id), identities.map(({ sequence }) => sequence)],
  );
}

function* inBatches<Item>(items: Item[]): Iterable<Item[]> {
  for (let i = 0; i < items.length; i += recordsAtOnce) yield items.slice(i, i + recordsAtOnce);
}
