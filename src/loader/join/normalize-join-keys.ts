import type { ClientBase } from 'pg';
import type { JoinColumns } from './join-rows.js';

type Side = 'shape' | 'roll';

/** What two spellings of a key have in common, in SQL. */
type Common = Record<Side, string>;

const plain = `nullif(upper(regexp_replace(key, '[^[:alnum:]]', '', 'g')), '')`;

/**
 * Where no key of one side is found on the other, but half of them differ in case and punctuation alone, or in letters that all of a side
 * begin with (`R-000123`), the staged roll gets the shapes' spelling. No two parcels become one: not where two keys of a side differ in
 * nothing else. Returns what an operator should know of it.
 */
export async function spellAlike(db: ClientBase, { shapeColumn, rollColumn }: JoinColumns): Promise<string[]> {
  const columns = `The shapes' ${shapeColumn} and the roll's ${rollColumn} are written in two ways`;
  const alike = await spell(db, { shape: plain, roll: plain });
  if (alike)
    return [
      `${columns} (${alike.shape}, ${alike.roll}): they are tied by their letters and digits, and stand in the records as the shapes have them.`,
    ];
  const begin = { shape: await firstLetters(db, 'shape'), roll: await firstLetters(db, 'roll') };
  if (begin.shape === null || begin.roll === null || begin.shape === begin.roll) return [];
  const bare = await spell(db, { shape: withoutLetters(begin.shape), roll: withoutLetters(begin.roll) });
  if (!bare) return [];
  const letters = [begin.shape, begin.roll].filter(Boolean).join(' and the ');
  return [
    `${columns} (${bare.shape}, ${bare.roll}): they are tied without the ${letters} that all of a file begin with, and stand in the records as ` +
      'the shapes have them.',
  ];
}

/** The letters that all keys of a side begin with, in capitals; '': none begins with any. Null where they begin differently. */
async function firstLetters(db: ClientBase, side: Side): Promise<string | null> {
  const { rows } = await db.query<{ letters: string }>(`
    select min(letters) as letters
      from (select distinct coalesce(substring(${plain} from '^[A-Z]+'), '') as letters from ${side} where ${plain} is not null) firsts
    having count(*) = 1`);
  return rows[0]?.letters ?? null;
}

const withoutLetters = ({ length }: string): string => `nullif(ltrim(substr(${plain}, ${length + 1}), '0'), '')`;

const keysOf = (side: Side, common: Common): string => `
  select ${common[side]} as plain, min(key) as key, count(*) as spellings
    from (select distinct key from ${side}) keys where ${common[side]} is not null group by 1`;

/** An example of what was spelt alike; undefined: nothing was. */
async function spell(db: ClientBase, common: Common): Promise<{ shape: string; roll: string } | undefined> {
  const { rows } = await db.query<{ shape: string; roll: string }>(`
    with shapes as (${keysOf('shape', common)}), rolls as (${keysOf('roll', common)}),
         alike as (select shapes.key as shape, rolls.key as roll from shapes join rolls using (plain)),
         spelt as (update roll set key = alike.shape from alike
                    where roll.key = alike.roll
                      and not exists (select from shape join roll using (key))
                      and not exists (select from shapes where spellings > 1)
                      and not exists (select from rolls where spellings > 1)
                      and (select count(*) from alike) * 2 >= least((select count(*) from shapes), (select count(*) from rolls))
                    returning alike.shape, alike.roll)
    select shape, roll from spelt order by shape collate "C" limit 1`);
  return rows[0];
}
