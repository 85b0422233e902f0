import type { ClientBase } from 'pg';
import { type RecordField, recordFields } from '../../parcels/record-fields.js';
import type { ChangedRecord, ReleaseComparison } from '../../parcels/release-report.js';
import { idLength, idStart } from '../normalise/distinguish.js';
import type { RecordRun } from '../release/current-records.js';

type Matched = Pick<ReleaseComparison, 'added' | 'gone' | 'changed' | 'unchanged' | 'goneNumbers' | 'addedNumbers'>;
type Examined = Pick<ReleaseComparison, 'examined' | 'moved' | 'jumped'> & { fields: number[]; examples: OrdinalPair[] | null };
type OrdinalPair = [before: number, after: number];

const maxExamples = 5;
// Enough for shares to half a percent. To take a record apart takes five times as long as to see that it has changed.
const maxExamined = 20_000;
// About 200 metres.
const maxMoveDegrees = 0.002;
const maxFactor = 10;

/** Holds records of a release against all that are in another, in Postgres, where they are. Must run in a transaction. */
export async function compareRecords(
  db: ClientBase,
  { releaseId: before, first, records }: Pick<RecordRun, 'releaseId' | 'first' | 'records'>,
  after: number,
): Promise<Omit<ReleaseComparison, 'releaseId' | 'records' | 'filled' | 'beyondReason' | 'spread'>> {
  // Else the sorts and joins of a large county go by way of the disk.
  await db.query(`set local work_mem = '64MB'`);
  await db.query(`create temporary table matched_record on commit drop as ${matchRecords}`, [before, after, first, first + records - 1]);
  const { rows: counts } = await db.query<Matched>(countMatched, [before, after]);
  const everyNth = Math.max(1, Math.ceil(counts[0]!.changed / maxExamined));
  const { rows } = await db.query<Examined>(examineChanged, [before, after, everyNth]);
  const { fields, examples, ...examined } = rows[0]!;
  await db.query('drop table matched_record');
  return {
    ...counts[0]!,
    ...examined,
    changedFields: Object.fromEntries(comparedFields.map((field, i) => [field, fields[i]!]).filter(([, count]) => count !== 0)),
    changedRecords: await readExamples(db, before, after, examples ?? []),
  };
}

// Source, date and release are the same in all records of a release, and differ from those before. No value has `,"` in it, since quotes
// within texts have a backslash before them.
// Without the offset Postgres would carry the whole texts through the join.
const textsOf = (records: string) => `
  select substr(record, ${idStart + 1}, ${idLength})::uuid as id, ordinal, hashtextextended(split_part(record, ',"source":', 1), 0) as hash
    from parcel where ${records} offset 0`;

const matchRecords = `
  select o.ordinal as before, n.ordinal as after, o.hash = n.hash as is_same
    from (${textsOf('release_id = $1 and ordinal between $3 and $4')}) o full join (${textsOf('release_id = $2')}) n using (id)`;

// One by one, and so by the primary key: Postgres knows nothing of rows that are this new, and would join with them as if they were a
// handful. A comparison of 100,000 records then took many minutes.
const recordOf = (release: string, ordinal: string) =>
  `lateral (select apn, record from parcel where release_id = ${release} and ordinal = ${ordinal} offset 0)`;

const numbersOf = (release: string, ordinal: string, missing: string) => `
  array(select p.apn from (select ${ordinal} from matched_record where ${missing} is null order by ${ordinal} limit ${maxExamples}) m,
               ${recordOf(release, `m.${ordinal}`)} p order by m.${ordinal})`;

const countMatched = `
  select count(*) filter (where before is null)::integer as added, count(*) filter (where after is null)::integer as gone,
         count(*) filter (where is_same)::integer as unchanged, count(*) filter (where not is_same)::integer as changed,
         ${numbersOf('$1', 'before', 'after')} as "goneNumbers", ${numbersOf('$2', 'after', 'before')} as "addedNumbers"
    from matched_record`;

// Before the geometry every value is a text or a number, so a record falls into its fields at each `,"`.
const scalars = recordFields.slice(0, recordFields.indexOf('geometry'));
const comparedFields: RecordField[] = [...scalars.slice(1), 'geometry'];
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
  with pair as (
    select m.before, m.after,
           string_to_array(split_part(o.record, ',"geometry":', 1), ',"') as o,
           string_to_array(split_part(n.record, ',"geometry":', 1), ',"') as n,
           split_part(split_part(o.record, ',"source":', 1), ',"geometry":', 2)
             <> split_part(split_part(n.record, ',"source":', 1), ',"geometry":', 2) as has_other_geometry
      from matched_record m, ${recordOf('$1', 'm.before')} o, ${recordOf('$2', 'm.after')} n
     where not m.is_same and m.after % $3 = 0
    offset 0 -- else Postgres takes every text apart anew for each field
  ), judged as (
    select *, ${hasMoved} as has_moved, ${hasJumped} as has_jumped from pair offset 0
  )
  select count(*)::integer as examined, count(*) filter (where has_moved)::integer as moved, count(*) filter (where has_jumped)::integer as jumped,
         array[${[...scalars.slice(1).map((field) => `${scalar('o', field)} <> ${scalar('n', field)}`), 'has_other_geometry']
           .map((differs) => `count(*) filter (where ${differs})::integer`)
           .join(', ')}] as fields,
         (array_agg(array[before, after] order by not (has_moved or has_jumped), after))[1:${maxExamples}] as examples
    from judged`;

async function readExamples(db: ClientBase, before: number, after: number, pairs: OrdinalPair[]): Promise<ChangedRecord[]> {
  const { rows } = await db.query<{ before: Record<string, unknown>; after: Record<string, unknown> }>(
    `select o.record::json as before, n.record::json as after
       from unnest($3::integer[], $4::integer[]) with ordinality as pair (before, after, place),
            ${recordOf('$1', 'pair.before')} o, ${recordOf('$2', 'pair.after')} n
      order by pair.place`,
    [before, after, pairs.map((pair) => pair[0]), pairs.map((pair) => pair[1])],
  );
  return rows.map(({ before, after }) => ({
    parcelId: after.parcel_id as string,
    apn: after.apn as string | null,
    fields: comparedFields
      .map((field) => ({ field, before: shown(before[field]), after: shown(after[field]) }))
      .filter((change) => change.before !== change.after),
  }));
}

const maxShownLength = 120;

function shown(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.length > maxShownLength ? `${text.slice(0, maxShownLength - 1)}…` : text;
}
