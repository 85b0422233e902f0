import type { ClientBase } from 'pg';
import type { JoinColumns } from './join-rows.js';

type Side = 'shape' | 'roll';

/**
 * Gives the staged keys of one side the leading zeros back that a column of numbers took from them, where the other side has them. Returns
 * what an operator should know of it.
 */
export async function restoreZeros(db: ClientBase, { shapeColumn, rollColumn }: JoinColumns): Promise<string[]> {
  const ofShapes = await restore(db, 'shape', 'roll');
  if (ofShapes)
    return [`${ofShapes} values of the shapes' ${shapeColumn} had lost their leading zeros, and got them back as the roll has them.`];
  const ofRoll = await restore(db, 'roll', 'shape');
  return ofRoll
    ? [`${ofRoll} values of the roll's ${rollColumn} had lost their leading zeros, and got them back as the shapes have them.`]
    : [];
}

/** Keys of zeros alone stand for none. */
const isNumber = `key ~ '^\\d*[1-9]\\d*$'`;

/**
 * No two parcels become one: no number of the cut side begins with a zero, none is longer than those of the whole side, and these all have
 * one length. Nor is it by chance: half of those that are shorter meet then.
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
