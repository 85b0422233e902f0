import type { ClientBase } from 'pg';
import type { JoinColumns } from './join-rows.js';

const plain = (key: string): string => `nullif(upper(regexp_replace(${key}, '[^[:alnum:]]', '', 'g')), '')`;

const keysOf = (side: 'shape' | 'roll'): string => `
  select ${plain('key')} as plain, min(key) as key, count(*) as spellings
    from (select distinct key from ${side}) keys where ${plain('key')} is not null group by 1`;

/**
 * Where no key of one side is found on the other, but half of them differ in case and punctuation alone, the staged roll gets the shapes'
 * spelling. No two parcels become one: not where two keys of a side differ in nothing else. Returns what an operator should know of it.
 */
export async function spellAlike(db: ClientBase, { shapeColumn, rollColumn }: JoinColumns): Promise<string[]> {
  const { rows } = await db.query<{ shape: string; roll: string }>(`
    with shapes as (${keysOf('shape')}), rolls as (${keysOf('roll')}),
         alike as (select shapes.key as shape, rolls.key as roll from shapes join rolls using (plain)),
         spelt as (update roll set key = alike.shape from alike
                    where roll.key = alike.roll
                      and not exists (select from shape join roll using (key))
                      and not exists (select from shapes where spellings > 1)
                      and not exists (select from rolls where spellings > 1)
                      and (select count(*) from alike) * 2 >= least((select count(*) from shapes), (select count(*) from rolls))
                    returning alike.shape, alike.roll)
    select shape, roll from spelt order by shape collate "C" limit 1`);
  return rows.map(
    ({ shape, roll }) =>
      `The shapes' ${shapeColumn} and the roll's ${rollColumn} are written in two ways (${shape}, ${roll}): they are tied by their letters and ` +
      'digits, and stand in the records as the shapes have them.',
  );
}
