import type { ClientBase } from 'pg';
import type { ChangedRecord, ReleaseComparison } from '../../releases/catalogue/release-comparison.js';
import { type RecordField, recordFields, trailingFields } from '../../releases/record-fields/record-fields.js';
import { matchRecords, type RecordMatch } from './match-records.js';

/** Consecutive records of a release, with their digests. */
export interface DigestedRun {
  releaseId: number;
  first: number;
  digests: Buffer;
}

type Examined = Pick<ReleaseComparison, 'examined' | 'moved' | 'jumped'> & { fields: number[]; examples: OrdinalPair[] | null };
type OrdinalPair = [before: number, after: number];

const maxExamples = 5;
// Enough for shares to half a percent. Comparing a record's fields takes five times as long as detecting that it changed.
const maxExamined = 20_000;
// About 200 meters.
const maxMoveDegrees = 0.002;
const maxFactor = 10;

/**
 * Compares the records of two releases: digests tell which records both share and which changed, Postgres compares the changed ones field by
 * field. Must run in a transaction.
 */
export async function compareRecords(
  db: ClientBase,
  old: DigestedRun,
  loaded: DigestedRun,
): Promise<Omit<ReleaseComparison, 'releaseId' | 'records' | 'filled' | 'beyondReason' | 'spread'>> {
  const [before, after] = [old.releaseId, loaded.releaseId];
  const match = matchRecords(old.digests, loaded.digests);
  const { gone, added, changed, unchanged, firstGone, firstAdded } = match;
  const pairs = changedPairs(match, old.first, loaded.first);
  const { rows } = await db.query<Examined>(examineChanged, [before, after, pairs.map((pair) => pair[0]), pairs.map((pair) => pair[1])]);
  const { fields, examples, ...examined } = rows[0]!;
  return {
    gone,
    added,
    changed,
    unchanged,
    goneNumbers: await readNumbers(db, before, firstGone, old.first),
    addedNumbers: await readNumbers(db, after, firstAdded, loaded.first),
    ...examined,
    changedFields: Object.fromEntries(comparedFields.map((field, i) => [field, fields[i]!]).filter(([, count]) => count !== 0)),
    changedRecords: await readExamples(db, before, after, examples ?? []),
  };
}

/** The records to compare field by field, an even sample. The ordinals of the first records of both are given. */
function changedPairs({ partners, changed, isChanged }: RecordMatch, oldFirst: number, loadedFirst: number): OrdinalPair[] {
  const everyNth = Math.max(1, Math.ceil(changed / maxExamined));
  const pairs: OrdinalPair[] = [];
  for (const [index, partner] of partners.entries()) {
    if (index % everyNth === 0 && partner >= 0 && isChanged(index)) pairs.push([oldFirst + partner, loadedFirst + index]);
  }
  return pairs;
}

/** @param first the ordinal of index 0 */
async function readNumbers(db: ClientBase, releaseId: number, indexes: number[], first: number): Promise<(string | null)[]> {
  const { rows } = await db.query<{ apn: string | null }>(
    'select apn from parcel where release_id = $1 and ordinal = any($2::integer[]) order by ordinal',
    [releaseId, indexes.map((index) => first + index)],
  );
  return rows.map(({ apn }) => apn);
}

// A lateral join looks each record up by primary key. Postgres has no statistics of rows this new: its own plan took many minutes for
// 100,000 records.
const recordOf = (release: string, ordinal: string) =>
  `lateral (select record from parcel where release_id = ${release} and ordinal = ${ordinal} offset 0)`;
// The new release's records are looked up first, each once.
const newRecords = `new as materialized (
    select m.*, p.record
      from unnest($3::integer[], $4::integer[]) with ordinality m (before, after, place), ${recordOf('$2', 'm.after')} p
  )`;

// Before the geometry every value is a text or a number, so each `,"` starts a field. A text that ends with a comma would look the same, so a
// space is put before each separator first: no text ends with a space.
const fieldsOf = (record: string) => `string_to_array(replace(split_part(${record}, ',"geometry":', 1), ',",', ', ",'), ',"')`;
// The trailing fields. One that a record of an earlier version lacks is null.
const trailingOf = (record: string) =>
  `string_to_array(replace(left(split_part(${record}, ',"release_id":', 2), -1), ',",', ', ",'), ',"')`;
const isOther = (field: RecordField, i: number) => `coalesce(ot[${i + 2}], '${field}":null') <> coalesce(nt[${i + 2}], '${field}":null')`;
const scalars = recordFields.slice(0, recordFields.indexOf('geometry'));
const trailing = trailingFields.map(({ name }) => name);
const comparedFields: RecordField[] = [...scalars.slice(1), 'geometry', ...trailing];
const scalar = (release: 'o' | 'n', field: RecordField) => `${release}[${scalars.indexOf(field) + 1}]`;
const number = (release: 'o' | 'n', field: RecordField) =>
  `nullif(substr(${scalar(release, field)}, ${field.length + 3}), 'null')::double precision`;
const houseNumber = (release: 'o' | 'n') => `substring(${scalar(release, 'situs_address')} from '^situs_address":"(\\d+)')`;

const isBetween = (low: string, high: string) => `${low} > 0 and ${high} >= ${low} * ${maxFactor}`;
const hasJumped = (['land_value', 'improvement_value', 'total_value'] as const)
  .map((field) => [number('o', field), number('n', field)] as const)
  .map(([old, now]) => `coalesce(${isBetween(old, now)} or ${isBetween(now, old)}, false)`)
  .join(' or ');
const hasMoved = `
  case when ${scalar('o', 'latitude')} = ${scalar('n', 'latitude')} and ${scalar('o', 'longitude')} = ${scalar('n', 'longitude')} then
    ${scalar('o', 'latitude')} = 'latitude":null' and coalesce(${houseNumber('o')} <> ${houseNumber('n')}, false)
  else
    coalesce(
      abs(${number('o', 'latitude')} - ${number('n', 'latitude')}) > ${maxMoveDegrees}
        or abs(${number('o', 'longitude')} - ${number('n', 'longitude')}) * cos(radians(${number('o', 'latitude')})) > ${maxMoveDegrees},
      ${houseNumber('o')} <> ${houseNumber('n')},
      false)
  end`;

const examineChanged = `
  with ${newRecords}, pair as (
    select n.before, n.after,
           ${fieldsOf('o.record')} as o, ${fieldsOf('n.record')} as n, ${trailingOf('o.record')} as ot, ${trailingOf('n.record')} as nt,
           split_part(split_part(o.record, ',"source":', 1), ',"geometry":', 2)
             <> split_part(split_part(n.record, ',"source":', 1), ',"geometry":', 2) as has_other_geometry
      from new n, ${recordOf('$1', 'n.before')} o
    offset 0 -- otherwise Postgres splits every text again for each field
  ), compared as (
    select *, ${hasMoved} as has_moved, ${hasJumped} as has_jumped from pair offset 0
  )
  select count(*)::integer as examined, count(*) filter (where has_moved)::integer as moved, count(*) filter (where has_jumped)::integer as jumped,
         array[${[
           ...scalars.slice(1).map((field) => `${scalar('o', field)} <> ${scalar('n', field)}`),
           'has_other_geometry',
           ...trailing.map(isOther),
         ]
           .map((differs) => `count(*) filter (where ${differs})::integer`)
           .join(', ')}] as fields,
         (array_agg(array[before, after] order by not (has_moved or has_jumped), after))[1:${maxExamples}] as examples
    from compared`;

async function readExamples(db: ClientBase, before: number, after: number, pairs: OrdinalPair[]): Promise<ChangedRecord[]> {
  const { rows } = await db.query<{ before: Record<string, unknown>; after: Record<string, unknown> }>(
    `with ${newRecords}
     select o.record::json as before, n.record::json as after from new n, ${recordOf('$1', 'n.before')} o order by n.place`,
    [before, after, pairs.map((pair) => pair[0]), pairs.map((pair) => pair[1])],
  );
  return rows.map(({ before, after }) => ({
    parcelId: after.parcel_id as string,
    apn: shown(after.apn),
    fields: comparedFields
      .map((field) => ({ field, before: shown(before[field]), after: shown(after[field]) }))
      .filter((change) => change.before !== change.after),
  }));
}

const maxShownLength = 120;

function shown(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const cut = text.length > maxShownLength ? `${text.slice(0, maxShownLength - 1)}…` : text;
  return Buffer.from(cut).toString(); // Postgres' JSON refuses half a surrogate pair
}
