import type { ClientBase } from 'pg';
import type { JoinColumns } from './join-columns.js';

type Side = 'shape' | 'roll';

/**
 * Restores leading zeros that a numeric column removed from one side's staged keys, when the other side has them. Returns warnings for the
 * operator.
 */
export async function restoreLeadingZeros(db: ClientBase, { shapeColumn, rollColumn }: JoinColumns): Promise<string[]> {
  const ofShapes = await restore(db, 'shape', 'roll');
  if (ofShapes)
    return [`${ofShapes} values of the shapes' ${shapeColumn} had lost their leading zeros; they were restored as the roll has them.`];
  const ofRoll = await restore(db, 'roll', 'shape');
  return ofRoll
    ? [`${ofRoll} values of the roll's ${rollColumn} had lost their leading zeros; they were restored as the shapes have them.`]
    : [];
}

/** Zeros alone are no parcel number. */
const isNumber = `key ~ '^\\d*[1-9]\\d*$'`;

/**
 * Cannot merge two parcels: the cut side has no leading zero and no longer number, and all numbers of the whole side have one length. Rules
 * out chance: at least half of the shorter numbers must match afterwards.
 */
async function restore(db: ClientBase, cut: Side, whole: Side): Promise<number> {
  const { rows } = await db.query<{ digits: number }>(`
    with whole as (select distinct key from ${whole} where ${isNumber}),
         cut as (select distinct key from ${cut} where ${isNumber}),
         length as (select max(length(key)) as digits from whole having min(length(key)) = max(length(key)))
    select digits
      from length join cut on length(cut.key) < digits left join whole on whole.key = lpad(cut.key, digits, '0')
     where not exists (select from cut join length on length(key) > digits or key like '0%')
     group by digits
    having count(whole.key) * 2 >= count(*)`);
  if (!rows[0]) return 0;
  const { rowCount } = await db.query(`update ${cut} set key = lpad(key, $1, '0') where ${isNumber} and length(key) < $1`, [
    rows[0].digits,
  ]);
  return rowCount!;
}
