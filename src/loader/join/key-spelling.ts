import type { ClientBase } from 'pg';
import { invalidRequest, quoteValue } from '../../core/parameters.js';

export type Side = 'shape' | 'roll';

/** How the keys of a side are written, so that they meet those of the other side. */
interface SideSpelling {
  /** Numbers with fewer digits get zeros in front. */
  pad?: number;
  /** What does not count when keys are compared: a word of `strips`, or the capital letters that keys begin with. */
  strip: string[];
}

type KeySpelling = Record<Side, SideSpelling>;

/** What was found out about the spelling of keys. */
export interface FoundSpelling {
  /** As `--join-key` takes it. Empty: the keys are written in one way, or in ways that nothing was found about. */
  spelling: string[];
  warnings: string[];
}

const strips = ['punctuation', 'dashes', 'spaces', 'letters', 'zeros'];
const part = new RegExp(`^(shapes|roll)=(?:pad:([1-9]\\d?)|strip:(${strips.join('|')}|[A-Z]+))$`);

export const isKeySpelling = (text: string): boolean => part.test(text);

export const keySpellingRule =
  'must be shapes or roll, and =pad:DIGITS or =strip: with zeros (in front), dashes, spaces, punctuation (both, and all other signs), letters ' +
  '(in front) or certain letters, such as roll=strip:R';

/**
 * Reads the spelling of join keys.
 * @param texts such as `shapes=pad:10` or `roll=strip:dashes`
 * @throws AppError for another text
 */
export function parseKeySpelling(texts: string[]): KeySpelling {
  const spelling: KeySpelling = { shape: { strip: [] }, roll: { strip: [] } };
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
export const isNumber = `key ~ '^\\d*[1-9]\\d*$'`;

/** Gives the staged numbers of a side zeros in front, up to this many digits. Returns how many changed. */
export async function padKeys(db: ClientBase, side: Side, digits: number): Promise<number> {
  const { rowCount } = await db.query(`update ${side} set key = lpad(key, $1, '0') where ${isNumber} and length(key) < $1`, [digits]);
  return rowCount!;
}

/** A side's keys without what does not count and without case, as a SQL expression; null for a key of which nothing is left. */
export function comparedKey({ strip }: SideSpelling): string {
  const replaced = (text: string, pattern: string) => `regexp_replace(${text}, '${pattern}', '', 'g')`;
  let text = 'upper(key)';
  if (strip.includes('punctuation')) text = replaced(text, '[^[:alnum:]]');
  if (strip.includes('dashes')) text = replaced(text, '[-‐‑‒–—]');
  if (strip.includes('spaces')) text = replaced(text, '\\s');
  if (strip.includes('letters')) text = replaced(text, '^[A-Z]+');
  for (const letters of strip.filter((each) => !strips.includes(each))) text = replaced(text, `^${letters}`);
  if (strip.includes('zeros')) text = `ltrim(${text}, '0')`;
  return `nullif(${text}, '')`;
}
