import type { ClientBase } from 'pg';
import type { JoinColumns } from './join-columns.js';

type Side = 'shape' | 'roll';

/** The normalized form of a side's keys, as a SQL expression. */
type NormalForms = Record<Side, string>;

const plain = `nullif(upper(regexp_replace(key, '[^[:alnum:]]', '', 'g')), '')`;

/**
 * Gives the staged roll the shapes' spelling of keys when no key matches, but half of them differ only in case and punctuation, or in a
 * prefix of letters that all keys of a side have (`R-000123`). Changes nothing when two keys of a side have the same normalized form,
 * because two parcels would become one. Returns warnings for the operator.
 */
export async function normalizeJoinKeys(db: ClientBase, { shapeColumn, rollColumn }: JoinColumns): Promise<string[]> {
  const columns = `The shapes' ${shapeColumn} and the roll's ${rollColumn} are written in two ways`;
  const alike = await unifyJoinKeys(db, { shape: plain, roll: plain });
  if (alike)
    return [`${columns} (${alike.shape}, ${alike.roll}): they are joined by their letters and digits. Records have the shapes' spelling.`];
  const begin = { shape: await firstLetters(db, 'shape'), roll: await firstLetters(db, 'roll') };
  if (begin.shape === null || begin.roll === null || begin.shape === begin.roll) return [];
  const bare = await unifyJoinKeys(db, { shape: withoutLetters(begin.shape), roll: withoutLetters(begin.roll) });
  if (!bare) return [];
  const letters = [begin.shape, begin.roll].filter(Boolean).join(' and the ');
  return [
    `${columns} (${bare.shape}, ${bare.roll}): they are joined without the ${letters} that all of a file begin with. Records have the shapes' spelling.`,
  ];
}

/** The prefix of letters that all keys of a side share, in capitals; '' when there is none, null when prefixes differ. */
async function firstLetters(db: ClientBase, side: Side): Promise<string | null> {
  const { rows } = await db.query<{ letters: string }>(`
    select min(letters) as letters
      from (select distinct coalesce(substring(${plain} from '^[A-Z]+'), '') as letters from ${side} where ${plain} is not null) firsts
    having count(*) = 1`);
  return rows[0]?.letters ?? null;
}

const withoutLetters = ({ length }: string): string => `nullif(ltrim(substr(${plain}, ${length + 1}), '0'), '')`;

const keysOf = (side: Side, forms: NormalForms): string => `
  select ${forms[side]} as plain, min(key) as key, count(*) as spellings
    from (select distinct key from ${side}) keys where ${forms[side]} is not null group by 1`;

/** Rewrites the roll's keys. Returns an example; undefined when nothing was rewritten. */
async function unifyJoinKeys(db: ClientBase, forms: NormalForms): Promise<{ shape: string; roll: string } | undefined> {
  const { rows } = await db.query<{ shape: string; roll: string }>(`
    with shapes as (${keysOf('shape', forms)}), rolls as (${keysOf('roll', forms)}),
         matched as (select shapes.key as shape, rolls.key as roll from shapes join rolls using (plain)),
         respelled as (update roll set key = matched.shape from matched
                    where roll.key = matched.roll
                      and not exists (select from shape join roll using (key))
                      and not exists (select from shapes where spellings > 1)
                      and not exists (select from rolls where spellings > 1)
                      and (select count(*) from matched) * 2 >= least((select count(*) from shapes), (select count(*) from rolls))
                    returning matched.shape, matched.roll)
    select shape, roll from respelled order by shape collate "C" limit 1`);
  return rows[0];
}
