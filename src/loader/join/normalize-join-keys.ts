import type { ClientBase } from 'pg';
import type { JoinColumns } from './join-columns.js';
import { comparedKey, type FoundSpelling, padKeys, parseKeySpelling, type Side } from './key-spelling.js';
import { restoreLeadingZeros } from './restore-leading-zeros.js';

/** Gives the staged keys the spelling that the operator or the profile states. Returns warnings for the operator. */
export async function applyKeySpelling(db: ClientBase, stated: string[]): Promise<string[]> {
  const spelling = parseKeySpelling(stated);
  for (const side of ['shape', 'roll'] as const) if (spelling[side].pad) await padKeys(db, side, spelling[side].pad);
  if (spelling.shape.strip.length + spelling.roll.strip.length === 0) return [];
  const alike = `with ${keysOfBoth(stated)}`;
  await db.query(`${alike}
    update roll set key = shapes.key from shapes join rolls using (plain)
     where roll.key = rolls.key and shapes.spellings = 1 and rolls.spellings = 1`);
  const { rows } = await db.query<{ count: number; example: string }>(`${alike}
    select count(*)::integer as count, min(rolls.key) as example from shapes join rolls using (plain)
     where shapes.spellings > 1 or rolls.spellings > 1 having count(*) > 0`);
  return rows.map(
    ({ count, example }) =>
      `${count} join keys (such as ${example}) are those of several parcels without what --join-key strips: they are joined as they are written.`,
  );
}

/**
 * Finds out how keys are written, and gives the staged ones one spelling: restores zeros that a numeric column dropped; or gives the roll the
 * shapes' spelling when no key matches, but half of them differ only in case and punctuation, or in a prefix of letters that all keys of a
 * side have (`R-000123`). Changes nothing when two keys of a side have the same normalized form, because two parcels would become one.
 */
export async function findKeySpelling(db: ClientBase, columns: JoinColumns): Promise<FoundSpelling> {
  const restored = await restoreLeadingZeros(db, columns);
  await db.query(`create index on shape (key); create index on roll (key); analyze shape; analyze roll`);
  return restored ?? (await normalizeJoinKeys(db, columns)) ?? { spelling: [], warnings: [] };
}

const ofBoth = (...strip: string[]): string[] =>
  (['shapes', 'roll'] as const).flatMap((side) => strip.map((what) => `${side}=strip:${what}`));

async function normalizeJoinKeys(db: ClientBase, { shapeColumn, rollColumn }: JoinColumns): Promise<FoundSpelling | null> {
  const columns = `The shapes' ${shapeColumn} and the roll's ${rollColumn} are written in two ways`;
  const signs = ofBoth('punctuation');
  const alike = await unifyJoinKeys(db, signs);
  if (alike)
    return {
      spelling: signs,
      warnings: [
        `${columns} (${alike.shape}, ${alike.roll}): they are joined by their letters and digits. Records have the shapes' spelling.`,
      ],
    };
  const begin = { shape: await firstLetters(db, 'shape'), roll: await firstLetters(db, 'roll') };
  if (begin.shape === null || begin.roll === null || begin.shape === begin.roll) return null;
  const letters = [...(begin.shape ? [`shapes=strip:${begin.shape}`] : []), ...(begin.roll ? [`roll=strip:${begin.roll}`] : [])];
  const spelling = [...ofBoth('punctuation', 'zeros'), ...letters];
  const bare = await unifyJoinKeys(db, spelling);
  if (!bare) return null;
  return {
    spelling,
    warnings: [
      `${columns} (${bare.shape}, ${bare.roll}): they are joined without the ${[begin.shape, begin.roll].filter(Boolean).join(' and the ')} that all of a file begin with. Records have the shapes' spelling.`,
    ],
  };
}

const plain = comparedKey({ strip: ['punctuation'] });

/** The prefix of letters that all keys of a side share, in capitals; '' when there is none, null when prefixes differ. */
async function firstLetters(db: ClientBase, side: Side): Promise<string | null> {
  const { rows } = await db.query<{ letters: string }>(`
    select min(letters) as letters
      from (select distinct coalesce(substring(${plain} from '^[A-Z]+'), '') as letters from ${side} where ${plain} is not null) firsts
    having count(*) = 1`);
  return rows[0]?.letters ?? null;
}

const keysOf = (side: Side, form: string): string => `
  select ${form} as plain, min(key) as key, count(*) as spellings
    from (select distinct key from ${side}) keys where ${form} is not null group by 1`;

function keysOfBoth(spelling: string[]): string {
  const { shape, roll } = parseKeySpelling(spelling);
  return `shapes as (${keysOf('shape', comparedKey(shape))}), rolls as (${keysOf('roll', comparedKey(roll))})`;
}

/** Rewrites the roll's keys. Returns an example; undefined when nothing was rewritten. */
async function unifyJoinKeys(db: ClientBase, spelling: string[]): Promise<{ shape: string; roll: string } | undefined> {
  const { rows } = await db.query<{ shape: string; roll: string }>(`
    with ${keysOfBoth(spelling)},
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
