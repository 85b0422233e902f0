import type { ClientBase } from 'pg';
import { invalidRequest, quoteValue } from '../../core/parameters.js';

const sides = ['shape', 'roll'] as const;
export type Side = (typeof sides)[number];

/** How the keys of a side are written, so that they meet those of the other side. */
interface SideSpelling {
  /** Numbers with fewer digits get zeros in front. */
  pad?: number;
  /** The part of keys that does not count when they are compared: a word of `strips`, or the capital letters that keys begin with. */
  strip: string[];
}

const strips = ['punctuation', 'dashes', 'spaces', 'letters', 'zeros'];
const part = new RegExp(`^(shapes|roll)=(?:pad:([1-9]\\d?)|strip:(${strips.join('|')}|[A-Z]+))$`);

export const isKeySpelling = (text: string): boolean => part.test(text);

export const keySpellingRule =
  'must be shapes or roll, and =pad:DIGITS or =strip: with zeros (in front), dashes, spaces, punctuation (both, and all other signs), letters ' +
  '(in front) or certain letters, such as roll=strip:R';

/** @param texts such as `shapes=pad:10` or `roll=strip:dashes` @throws AppError for another text */
function parse(texts: string[]): Record<Side, SideSpelling> {
  const spelling: Record<Side, SideSpelling> = { shape: { strip: [] }, roll: { strip: [] } };
  for (const text of texts) {
    const [, side, digits, strip] = part.exec(text) ?? [];
    if (!side) throw invalidRequest([{ parameter: '--join-key', message: `${keySpellingRule}; it is ${quoteValue(text)}` }]);
    const own = spelling[side === 'roll' ? 'roll' : 'shape'];
    if (digits) own.pad = Number(digits);
    else own.strip.push(strip!);
  }
  return spelling;
}

/** Zeros alone are no parcel number. */
const isNumber = (text: string): string => `${text} ~ '^\\d*[1-9]\\d*$'`;

/** A side's keys as they are compared, in capitals, as a SQL expression; null for a key of which nothing is left. */
function comparedKey({ pad, strip }: SideSpelling): string {
  const replaced = (text: string, pattern: string) => `regexp_replace(${text}, '${pattern}', '', 'g')`;
  let text = 'upper(key)';
  if (strip.includes('punctuation')) text = replaced(text, '[^[:alnum:]]');
  if (strip.includes('dashes')) text = replaced(text, '[-‐‑‒–—]');
  if (strip.includes('spaces')) text = replaced(text, '\\s');
  if (strip.includes('letters')) text = replaced(text, '^[A-Z]+');
  for (const letters of strip.filter((each) => !strips.includes(each))) text = replaced(text, `^${letters}`);
  if (strip.includes('zeros')) text = `ltrim(${text}, '0')`;
  if (pad) text = `case when ${isNumber(text)} and length(${text}) < ${pad} then lpad(${text}, ${pad}, '0') else ${text} end`;
  return `nullif(${text}, '')`;
}

/** The keys of both sides under a spelling, and those that meet, as common table expressions. */
function matched(spelling: string[]): string {
  const own = parse(spelling);
  const keysOf = (side: Side) => `
    select ${comparedKey(own[side])} as plain, min(key) as key, count(*) as spellings
      from (select distinct key from ${side}) keys where ${comparedKey(own[side])} is not null group by 1`;
  return `shapes as (${keysOf('shape')}), rolls as (${keysOf('roll')}),
    matched as (select s.key as shape, r.key as roll, greatest(s.spellings, r.spellings) as spellings from shapes s join rolls r using (plain))`;
}

/**
 * Gives the staged keys one spelling: records have the shapes', with the zeros that they were told to have.
 * @returns warnings for the operator
 */
export async function applyKeySpelling(db: ClientBase, spelling: string[]): Promise<string[]> {
  const own = parse(spelling);
  for (const side of sides) {
    const { pad } = own[side];
    if (pad) await db.query(`update ${side} set key = lpad(key, $1, '0') where ${isNumber('key')} and length(key) < $1`, [pad]);
  }
  if (own.shape.strip.length + own.roll.strip.length === 0) return [];
  await db.query(`with ${matched(spelling)} update roll set key = m.shape from matched m where roll.key = m.roll and m.spellings = 1`);
  const { rows } = await db.query<{ count: number; example: string }>(
    `with ${matched(spelling)} select count(*)::integer as count, min(roll) as example from matched where spellings > 1 having count(*) > 0`,
  );
  return rows.map(
    ({ count, example }) =>
      `${count} join keys (such as ${example}) are those of several parcels without what --join-key strips: they are joined as they are written.`,
  );
}

/** Two keys that are the same under a spelling. */
interface KeyPair {
  shape: string;
  roll: string;
}

/**
 * Whether a spelling ties at least half of the keys that do not meet as they are written, and none of two parcels of a side. That rules out
 * chance.
 */
async function tryOut(db: ClientBase, spelling: string[]): Promise<KeyPair | undefined> {
  const { rows } = await db.query<KeyPair>(`
    with ${matched(spelling)},
         others as (select * from matched where shape <> roll),
         counts as (select least((select count(*) from shapes), (select count(*) from rolls)) - (select count(*) from matched where shape = roll) as open)
    select shape, roll from others, counts
     where (select count(*) from others) * 2 >= open
       and not exists (select from shapes where spellings > 1) and not exists (select from rolls where spellings > 1)
     order by shape collate "C" limit 1`);
  return rows[0];
}

const ofBoth = (...strip: string[]): string[] => ['shapes', 'roll'].flatMap((side) => strip.map((what) => `${side}=strip:${what}`));
const lettersAndDigits = ofBoth('punctuation');

/** Letters and digits count if no key meets another as it is written. */
export async function findKeySpelling(db: ClientBase): Promise<{ spelling: string[]; example: KeyPair } | null> {
  if (await haveCommonKeys(db)) return null;
  const example = await tryOut(db, lettersAndDigits);
  return example ? { spelling: lettersAndDigits, example } : null;
}

export async function haveCommonKeys(db: ClientBase): Promise<boolean> {
  const { rows } = await db.query<{ common: boolean }>('select exists (select from shape join roll using (key)) as common');
  return rows[0]!.common;
}

/** A spelling under which more keys would meet, for the operator to judge: zeros that a column of numbers dropped, letters in front. */
export async function proposeKeySpelling(db: ClientBase): Promise<string[] | null> {
  const { rows } = await db.query<{ side: Side; least: number; most: number }>(`
    select side, min(length(key)) as least, max(length(key)) as most
      from (select 'shape' as side, key from shape union all select 'roll', key from roll) keys where ${isNumber('key')} group by side`);
  const [shape, roll] = sides.map((side) => rows.find((row) => row.side === side));
  const isCut = (cut = shape, whole = roll) =>
    cut && whole && whole.least === whole.most && cut.most <= whole.most && cut.least < whole.least;
  const candidates = [
    ...(isCut(shape, roll) ? [[`shapes=pad:${roll!.most}`]] : []),
    ...(isCut(roll, shape) ? [[`roll=pad:${shape!.most}`]] : []),
    ofBoth('zeros'),
    ofBoth('punctuation', 'letters', 'zeros'),
  ];
  for (const spelling of candidates) if (await tryOut(db, spelling)) return spelling;
  return null;
}
