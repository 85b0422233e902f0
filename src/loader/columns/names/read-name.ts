import type { SampledColumn } from '../sampled-column.js';
import { longestSpelling, readingsOf } from './words.js';

/** One way to understand a column's name. */
export interface NameReading {
  /** The meaning of its parts, in order. */
  concepts: string[];
  /** Parts that are in no vocabulary. */
  unknown: string[];
  /** The number of a line, an owner or a sale, as in `OWNER2` and `SALE1DATE`. */
  ordinal: number | null;
  /** The year in the name, as in `ACV_LAND_23`. */
  year: number | null;
}

interface Piece {
  text: string;
  /** The words that the piece stands for: itself, or longer words that dBASE cut at ten characters. */
  words: string[];
}

const dbaseNameLength = 10;
const maxReadings = 16;

/**
 * Reads a name by its parts: `parcel_area_ac`, `OwnerState`, `OWNERSTATE`, `SITUS_STRE`, `sde.Parcels.PIN_`.
 * @param prefixes of many of the file's columns; they are ignored
 */
export function readName(name: string, prefixes: string[] = []): NameReading[] {
  const prefix = prefixes.find((each) => name.startsWith(each) && name.length > each.length) ?? '';
  const whole = name.slice(prefix.length);
  const short = whole.slice(whole.lastIndexOf('.') + 1) || whole;
  const tokens = tokensOf(short);
  const letters = tokens.filter((token) => !/^\d/.test(token));
  const pieces = piecesOf(letters, name.length === dbaseNameLength && /[a-z]$/i.test(short));
  const unknown = pieces.filter(({ words }) => words.length === 0).map(({ text }) => text);
  const numbers = tokens.filter((token) => /^\d/.test(token)).map(Number);
  const ordinal = numbers.find((number) => number >= 1 && number <= 9) ?? null;
  const year = numbers.map(yearOf).find((number) => number !== null) ?? null;
  return conceptsOf(pieces).map((concepts) => ({ concepts, unknown, ordinal, year }));
}

// 911 counts as a word: an E911 address is the parcel's.
const parts = /(?<!\d)e?911(?!\d)|[a-z]+|\d+/g;

/** Splits a name at letter case, digits and punctuation. */
function tokensOf(name: string): string[] {
  const words = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2');
  return (words.toLowerCase().match(parts) ?? []).map((part) => (part === '911' ? 'e911' : part));
}

function yearOf(number: number): number | null {
  if (number >= 1990 && number <= 2099) return number;
  return number >= 11 && number <= 40 ? 2000 + number : null;
}

// In tenths of a known word's cost.
const unknownLetterCost = 6;
const unknownStartCost = 15;
const loneLetterCost = 3;
const crossingCost = 4;
// By length. Short words occur by chance in unknown long ones: `pa` and `ag` in PACKAGE.
const wordCosts = [0, 90, 20, 15, 10];
const wholeTokenCost = 10;
const cutWordCosts = [90, 90, 22, 17, 13];

/**
 * Splits the letters of a name into known words at the least cost. A word may cross a boundary of letter case (`SqFt`) at a small cost.
 * Names are short, so every split is tried.
 */
function piecesOf(tokens: string[], isCut: boolean): Piece[] {
  const text = tokens.join('').slice(0, 60);
  const boundaries = new Set<number>();
  let length = 0;
  for (const token of tokens) {
    length += token.length;
    boundaries.add(length);
  }
  const best: { cost: number; start: number; words: string[] }[] = [{ cost: 0, start: 0, words: [] }];
  for (let end = 1; end <= text.length; end++) {
    best[end] = { cost: Number.POSITIVE_INFINITY, start: end - 1, words: [] };
    for (let start = Math.max(0, end - 30); start < end; start++) {
      const part = text.slice(start, end);
      const isWhole = boundaries.has(end) && (start === 0 || boundaries.has(start));
      const words = wordsOf(part, isWhole, isCut && end === text.length);
      const unknown = isWhole && part.length === 1 ? loneLetterCost : unknownStartCost + part.length * unknownLetterCost;
      const cost = best[start]!.cost + (words?.cost ?? unknown) + crossed(boundaries, start, end);
      if (cost < best[end]!.cost) best[end] = { cost, start, words: words?.words ?? [] };
    }
  }
  const pieces: Piece[] = [];
  for (let end = text.length; end > 0; end = best[end]!.start) {
    pieces.unshift({ text: text.slice(best[end]!.start, end), words: best[end]!.words });
  }
  return pieces;
}

function crossed(boundaries: Set<number>, start: number, end: number): number {
  let count = 0;
  for (let at = start + 1; at < end; at++) if (boundaries.has(at)) count++;
  return count * crossingCost;
}

/** The letters that are left of the words behind `PROPERTY_` and `TAXPAYER_`. */
const cutToOne: Record<string, string> = { a: 'address', c: 'city', n: 'name', s: 'state', z: 'zip' };

function wordsOf(part: string, isWhole: boolean, mayBeCut: boolean): { words: string[]; cost: number } | undefined {
  if (part.length > longestSpelling) return undefined;
  if (readingsOf.has(part)) return { words: [part], cost: isWhole ? wholeTokenCost : wordCosts[Math.min(part.length, 4)]! };
  if (!mayBeCut) return undefined;
  if (part.length === 1) return isWhole && cutToOne[part] ? { words: [cutToOne[part]], cost: 0 } : undefined;
  const words = [...readingsOf.keys()].filter((word) => word.length >= 4 && word.startsWith(part));
  return words.length > 0 ? { words, cost: cutWordCosts[Math.min(part.length, 4)]! } : undefined;
}

function conceptsOf(pieces: Piece[]): string[][] {
  let readings: string[][] = [[]];
  for (const { words } of pieces) {
    if (words.length === 0) continue;
    const meanings = new Map(words.flatMap((word) => readingsOf.get(word)!.map((meaning) => [meaning.join(' '), meaning])));
    readings = readings.flatMap((reading) => [...meanings.values()].map((meaning) => [...reading, ...meaning])).slice(0, maxReadings);
  }
  return readings.map(joinedWords);
}

// `Sq` and `Ft` are one unit.
function joinedWords(parts: string[]): string[] {
  // The name of a code is no code: `CITYCODE_NAME`.
  const concepts = parts.filter((part, i) => part !== 'code' || !isMeaning(parts[i + 1]));
  if (!concepts.includes('square') || !concepts.includes('feet')) return concepts;
  return [...concepts.filter((concept) => concept !== 'square' && concept !== 'feet'), 'sqft'];
}

/** Whether a word of a name says that the column has words for a code. */
const isMeaning = (concept: string | undefined): boolean => concept === 'description' || concept === 'name';

/**
 * Prefixes that say nothing, because at least four columns and a third of all have them: the name of a table or of the county's software. Of
 * known words only the name of a joined table, behind which columns are called by both the owner and the parcel.
 */
export function sharedPrefixes(names: string[]): string[] {
  const counts = new Map<string, string[]>();
  for (const name of names) {
    for (const { index } of name.matchAll(/[_.: ]+(?=[a-zA-Z\d])|(?<=[a-z\d])(?=[A-Z])/g)) {
      if (index > 0) addTo(counts, name.slice(0, index), name.slice(index));
    }
  }
  const says = (rest: string, party: RegExp) => readName(rest).some(({ concepts }) => party.test(concepts.join(' ')));
  const isShared = ([prefix, rests]: [string, string[]]) => {
    if (rests.length < 4 || rests.length * 3 < names.length) return false;
    if (readName(prefix).every(({ concepts }) => concepts.length === 0)) return true;
    return rests.some((rest) => says(rest, /\bowner/)) && rests.some((rest) => says(rest, /\b(property|situs|location)/));
  };
  return [...counts]
    .filter(isShared)
    .map(([prefix]) => prefix)
    .sort((a, b) => b.length - a.length);
}

function addTo(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/** A column with the possible readings of its name. */
export interface ReadColumn extends SampledColumn {
  readings: NameReading[];
}

/** Whose address: the owner's (`mail`) or the parcel's (`situs`). */
export type Party = 'mail' | 'situs';

/** The party that a name states; null if it states none. */
export function partyOf({ concepts }: NameReading): Party | null {
  if (['mail', 'owner', 'taxpayer'].some((concept) => concepts.includes(concept))) return 'mail';
  return ['situs', 'location', 'property', 'parcel'].some((concept) => concepts.includes(concept)) ? 'situs' : null;
}
