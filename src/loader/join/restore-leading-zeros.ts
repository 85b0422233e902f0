import type { ClientBase } from 'pg';
import type { JoinColumns } from './join-columns.js';
import { type FoundSpelling, isNumber, padKeys, type Side } from './key-spelling.js';

/**
 * Restores leading zeros that a numeric column removed from one side's staged keys, when the other side has them. Null: there
 * was nothing to restore.
 */
export async function restoreLeadingZeros(db: ClientBase, { shapeColumn, rollColumn }: JoinColumns): Promise<FoundSpelling | null> {
  const ofShapes = await restore(db, 'shape', 'roll');
  if (ofShapes)
    return {
      spelling: [`shapes=pad:${ofShapes.digits}`],
      warnings: [
        `${ofShapes.count} values of the shapes' ${shapeColumn} had lost their leading zeros; they were restored as the roll has them.`,
      ],
    };
  const ofRoll = await restore(db, 'roll', 'shape');
  return ofRoll
    ? {
        spelling: [`roll=pad:${ofRoll.digits}`],
        warnings: [
          `${ofRoll.count} values of the roll's ${rollColumn} had lost their leading zeros; they were restored as the shapes have them.`,
        ],
      }
    : null;
}

/**
 * Cannot merge two parcels: the cut side has no leading zero and no longer number, and all numbers of the whole side have one length. Rules
 * out chance: at least half of the shorter numbers must match afterwards.
 */
async function restore(db: ClientBase, cut: Side, whole: Side): Promise<{ digits: number; count: number } | null> {
  const { rows } = await db.query<{ digits: number }>(`
    with whole as (select distinct key from ${whole} where ${isNumber}),
         cut as (select distinct key from ${cut} where ${isNumber}),
         length as (select max(length(key)) as digits from whole having min(length(key)) = max(length(key)))
    select digits
      from length join cut on length(cut.key) < digits left join whole on whole.key = lpad(cut.key, digits, '0')
     where not exists (select from cut join length on length(key) > digits or key like '0%')
     group by digits
    having count(whole.key) * 2 >= count(*)`);
  if (!rows[0]) return null;
  const { digits } = rows[0];
  return { digits, count: await padKeys(db, cut, digits) };
}
