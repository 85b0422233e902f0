import type { ClientBase } from 'pg';
import { distinguish, type Identity, isPlaceKey, marksOf, numberKey } from '../normalise/distinguish.js';
import type { NumberScope } from '../normalise/parcel-id.js';
import { cursorRows } from './cursor-rows.js';

/** The records of a number. Of their texts only the marks are kept. */
interface Group {
  apn: string | null;
  ordinals: number[];
  marks: string[][];
}

const atOnce = 1000;

/**
 * Gives the records of numbers whose rows were not together in the file the ids that they would have got had they been. In the
 * transaction of their COPY, so nobody has seen others.
 * @param scattered the keys of those numbers (see `numberKey`)
 */
export async function settleIds(db: ClientBase, releaseId: number, scope: NumberScope, scattered: ReadonlySet<string>): Promise<void> {
  const keys = [...scattered];
  await db.query('create temp table scattered_number (apn text primary key) on commit drop');
  for (let i = 0; i < keys.length; i += atOnce) {
    await db.query('insert into scattered_number select unnest($1::text[])', [keys.slice(i, i + atOnce)]);
  }
  await db.query('analyze scattered_number');
  const identities = new IdentityWriter(db, releaseId);
  for await (const groups of groupsOf(db, releaseId, scattered, keys.some(isPlaceKey))) {
    for (const [key, { apn, ordinals, marks }] of groups) await identities.add(ordinals, distinguish(scope, apn, key, marks));
  }
  await identities.flush();
}

/** The groups of one parcel number after another; those without a number all together, since only their places tell them apart. */
async function* groupsOf(
  db: ClientBase,
  releaseId: number,
  scattered: ReadonlySet<string>,
  withoutNumberToo: boolean,
): AsyncIterable<Map<string, Group>> {
  const query = `
    select ordinal, apn, record from parcel
     where release_id = $1 and (apn in (select apn from scattered_number) or ($2 and apn is null))
     order by apn`;
  let groups = new Map<string, Group>();
  let number: string | null = null;
  for await (const rows of cursorRows<{ ordinal: number; apn: string | null; record: string }>(db, query, [releaseId, withoutNumberToo])) {
    for (const { ordinal, apn, record } of rows) {
      if (apn !== number) {
        yield groups;
        groups = new Map();
        number = apn;
      }
      const values = JSON.parse(record);
      const key = numberKey(apn, values.latitude === null ? null : values);
      if (!scattered.has(key)) continue;
      const group = groups.get(key) ?? { apn, ordinals: [], marks: [] };
      groups.set(key, group);
      group.ordinals.push(ordinal);
      group.marks.push(marksOf(values));
    }
  }
  yield groups;
}

/** Writes identities over those of records, many at a time. */
class IdentityWriter {
  private ordinals: number[] = [];
  private ids: string[] = [];
  private sequences: number[] = [];

  constructor(
    private readonly db: ClientBase,
    private readonly releaseId: number,
  ) {}

  async add(ordinals: number[], identities: Identity[]): Promise<void> {
    for (const [i, { id, sequence }] of identities.entries()) {
      this.ordinals.push(ordinals[i]!);
      this.ids.push(id);
      this.sequences.push(sequence);
    }
    if (this.ordinals.length >= atOnce) await this.flush();
  }

  /** As `withIdentity` does. */
  async flush(): Promise<void> {
    const { db, releaseId, ordinals, ids, sequences } = this;
    await db.query(
      `update parcel p
          set record = left(p.record, 14) || i.id || regexp_replace(substr(p.record, 51), '"apn_sequence":\\d+', '"apn_sequence":' || i.sequence)
         from unnest($2::integer[], $3::text[], $4::integer[]) i (ordinal, id, sequence)
        where p.release_id = $1 and p.ordinal = i.ordinal`,
      [releaseId, ordinals, ids, sequences],
    );
    this.ordinals = [];
    this.ids = [];
    this.sequences = [];
  }
}
