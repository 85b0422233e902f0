import { isNested } from './nested-text.js';

/**
 * Exporters' words for a blank, including SAS (`.`), MySQL and Postgres (`\N`), R (`NA`), pandas (`NaT`, `<NA>`), accounting (`-`), and
 * Excel's formula errors. `Na` is a name.
 */
const blankWords = new Set(
  'null <null> (null) nan nat na <na> n/a #n/a n.a. none (none) <none> undefined nil . - -- --- \\n #ref! #value! #name? #num! #div/0! #null!'.split(
    ' ',
  ),
);

/** A trimmed value as the county wrote it, or null if it is blank. */
export function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const text = typeof value === 'string' ? trimmed(value) : typeof value === 'object' ? JSON.stringify(value) : String(value);
  if (text === '' || (mayBeBlankWord(text) && text !== 'Na' && blankWords.has(text.toLowerCase()))) return null;
  return text;
}

/** Whether a text of printable characters certainly needs no trimming and is neither a word for a blank nor a dictionary. */
export function needsNoTrimming(text: string): boolean {
  const { length } = text;
  return length > 0 && text.charCodeAt(0) !== space && text.charCodeAt(length - 1) !== space && !mayBeBlankWord(text) && !isNested(text);
}

const space = 0x20;

// Fixed-width exports pad with NUL as well as spaces; Postgres can't store a NUL.
function trimmed(text: string): string {
  const plain = text.indexOf('\0') < 0 ? text : text.replaceAll('\0', '');
  return isEdge(plain.charCodeAt(0)) || isEdge(plain.charCodeAt(plain.length - 1)) ? plain.trim() : plain;
}

// Whether `trim` may remove a character: a control character, a space, or anything beyond ASCII.
const isEdge = (code: number): boolean => code <= 0x20 || code > 0x7e;

const isBlankWordStart = new Uint8Array(128);
for (const word of blankWords) {
  for (const start of [word, word.toUpperCase()]) isBlankWordStart[start.charCodeAt(0)] = 1;
}

const mayBeBlankWord = (text: string): boolean => text.length < 10 && isBlankWordStart[text.charCodeAt(0)] === 1;

/** A number, or a text to be read as one. Values of number columns need not become text first. */
export type NumberOrText = number | string | null;

// The regular expressions below take quadratic time on long runs of spaces.
const maxNumberLength = 100;

/**
 * Reads `1234.5`, `1,234.50`, `$1,200`, `(500)`, mainframe numbers `0500-` and `0500+`, `1.2E+5`, `$ -` (0 in Excel's accounting format), and
 * decimal commas: `1,23`, `0,5`, `1.234,56`. Null if it is not a number. Commas separate thousands if exactly three digits follow each of
 * them and one to three digits precede the first, not starting with 0: `1,234` is a thousand. Any other single comma is a decimal comma.
 */
export function numberOf(text: NumberOrText): number | null {
  if (text === null) return null;
  if (typeof text === 'number') return Number.isFinite(text) ? text : null;
  const plain = Number(text);
  if (Number.isFinite(plain)) return isOfDigits(text) ? plain : null;
  if (text.length > maxNumberLength) return null;
  const [, negative, digits, end] = /^(\(|-)?\s*\$?\s*([\d.,]*\d[.,]?)\s*(\)|[-+])?$/.exec(text.replace(/\s*(usd|us\$)\s*/i, '')) ?? [];
  if (digits === undefined) return /^\$\s*-$/.test(text) ? 0 : null;
  if ((negative === '(') !== (end === ')') || (negative === '-' && end !== undefined)) return null;
  const number = Number(withDecimalPoint(digits));
  return Number.isFinite(number) ? (negative || end === '-' ? -number : number) : null;
}

/** Excludes codes such as `0x1F` and `0b11`, which JavaScript would read as numbers. */
const isOfDigits = (text: string): boolean => text.charCodeAt(0) !== zero || !/^0[xbo]/i.test(text);

function withDecimalPoint(digits: string): string {
  if (/^[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/.test(digits)) return digits.replaceAll(',', '');
  if (/^\d*,\d*$/.test(digits) || /^[1-9]\d{0,2}(\.\d{3})+,\d*$/.test(digits)) return digits.replaceAll('.', '').replace(',', '.');
  // Misplaced thousands separators: 12,34,567 or 1234,567.89.
  return digits.replaceAll(',', '');
}

/** Whole US dollars; null if it is not an amount, or negative. */
export function dollarsOf(text: NumberOrText): number | null {
  const amount = numberOf(text);
  return amount === null || amount < 0 || amount > Number.MAX_SAFE_INTEGER ? null : Math.round(amount);
}

/** US dollars as a decimal string, so that no reader turns cents into a float; null if it is not an amount above zero. */
export function decimalDollarsOf(text: NumberOrText): string | null {
  if (typeof text === 'string' && /^[1-9]\d{0,8}\.\d\d$/.test(text)) return text;
  const amount = numberOf(text);
  return amount === null || amount <= 0 || amount > 1e12 ? null : amount.toFixed(2);
}

/** A number above zero, or null. */
export function positiveOf(text: NumberOrText, decimals: number): number | null {
  const number = numberOf(text);
  return number === null || number <= 0 || number > maxPositive ? null : rounded(number, decimals) || null;
}

const maxPositive = 1e9;

const earliestYear = 1600;
const latestYear = new Date().getUTCFullYear() + 2;

/** The year at the start of a text, including that of a day such as `20190115`. Null for the placeholders 0 and 9999, and for 19650. */
export function yearOf(text: NumberOrText): number | null {
  if (typeof text === 'number' && text >= earliestYear && text <= latestYear) return Math.trunc(text);
  const year = Number(/^\d{4}(?=(\d{4})?(?!\d))/.exec(String(text))?.[0]);
  return year >= earliestYear && year <= latestYear ? year : null;
}

export const squareFeetAnAcre = 43_560;

/**
 * Acres as recorded; null for zero, which counties write if they recorded none.
 * @param isSquareFeet the unit of a number without one (`24600 S` and `0.5 AC` state theirs)
 */
export function acresOf(text: NumberOrText, isSquareFeet: boolean): number | null {
  const area = numberOf(text);
  if (area === null && typeof text === 'string') {
    const [, before, whole = '0', numerator, denominator, digits, after] = areaWithWords.exec(text) ?? [];
    const stated = unitIn(after) ?? unitIn(before);
    if (stated === null) return null;
    return acresOf(digits === undefined ? Number(whole) + Number(numerator) / Number(denominator) : numberOf(digits), stated);
  }
  if (area === null || area <= 0 || area > 1e12) return null;
  return (isSquareFeet ? rounded(area / squareFeetAnAcre, 4) : rounded(area, 6)) || null;
}

/** `1.5 acres +/-`, `AC 0.25`, `about 2 1/2 ac. (GIS)` */
const areaWithWords =
  /^([^\d]{0,20}?)\s*(?:(?:(\d+)[\s-]+)?(\d+)\/([1-9]\d*)|(\d[\d.,]*|\.\d+))(?:\s*(?:\+\/-|±))?\s*([a-z][^\d]{0,40})?$/i;

/** Whether the first words, or one of them, are a unit of area: true for square feet, false for acres, null for none. */
function unitIn(words: string | undefined): boolean | null {
  const [first = '', second = ''] = words?.match(/[a-z]+/gi)?.filter((word) => !/^(about|approx|ca|total|deeded|gis)$/i.test(word)) ?? [];
  return isSquareFeetUnit(first) ?? isSquareFeetUnit(first + second);
}

export function rounded(value: number, decimals: number): number {
  const factor = 10 ** decimals;
  return Math.round(value * factor) / factor;
}

/**
 * Removes the decimals that a number column adds to a code or a piece of a parcel number: `11.000000` or `11.0` becomes 11, as other
 * formats write it.
 */
export function withoutDecimals(text: string): string {
  return text.charCodeAt(text.length - 1) === zero && /^\d+\.0(0{5,})?$/.test(text) ? text.slice(0, text.indexOf('.')) : text;
}

const zero = 0x30;

/**
 * A piece of an address without a number column's decimals (`757.00`), and without leading zeros if it is a padded house number. Null for
 * 0, which such a column has for a blank. (In a parcel number a 0 may be meant.)
 */
export function addressPieceOf(text: string, isFirst: boolean, isPadded: boolean): string | null {
  const piece = text.charCodeAt(text.length - 1) === zero ? text.replace(/^(\d+)\.0+$/, '$1') : text;
  if (piece === '0' || (isFirst && /^0+$/.test(piece))) return null;
  return isFirst && isPadded && piece.charCodeAt(0) === zero && /^\d+$/.test(piece) ? piece.replace(/^0+/, '') : piece;
}

/** A ZIP code, repaired after a number column: `94704.0`, `2139` (Cambridge), `941031234`, `21391234`; `02139-` is accepted, too. */
export function zipOf(text: string | null, mayHaveLostZeros: (zip: string) => boolean = () => true): string | null {
  if (text === null || /^[1-9]\d{4}$/.test(text)) return text;
  const zip = text.replace(/^(\d+)(\.0*|-)$/, '$1');
  if (/^0*$/.test(zip.replace('-', ''))) return null;
  const length = /^\d{3,4}$/.test(zip) ? 5 : /^\d{7,8}$/.test(zip) ? 9 : 0;
  return zip.length < length && mayHaveLostZeros(zip) ? zip.padStart(length, '0') : zip;
}

const leadingZeroStates = new Set(
  'AE CT CONN CONNECTICUT MA MASS MASSACHUSETTS ME MAINE NH NEWHAMPSHIRE NJ NEWJERSEY NY NEWYORK PR PUERTORICO RI RHODEISLAND VI VIRGINISLANDS VT VERMONT'.split(
    ' ',
  ),
);

/** Whether a state has ZIP codes with a leading zero. New York has them on islands, and AE stands for military posts in Europe. */
export const hasLeadingZeroZips = (state: string): boolean => leadingZeroStates.has(state.toUpperCase().replace(/[^A-Z]/g, ''));

/**
 * The parcel number as the county wrote it. Map editors mark shapes without a number by punctuation (`---`, `-`). Zero decimals come
 * from a number column, unless other numbers have decimals.
 * @param minDigits how many digits must precede the point for zero decimals to be cut: `12.0` alone may be a lot's number
 */
export function parcelNumberOf(text: string | null, minDigits: number): string | null {
  if (text === null || !/[\p{L}\p{N}]/u.test(text) || isTruncatedNumber(text)) return null;
  const point = text.indexOf('.');
  const apn = point >= minDigits && /^\d+\.0+$/.test(text) ? text.slice(0, point) : text;
  return /^0[0 ]*$/.test(apn) ? null : apn;
}

/**
 * Whether a number lost its last digits in Excel (`1.23457E+11`) or an ArcGIS table (`1.23456789012e+013`), so that many parcels share it.
 */
export const isTruncatedNumber = (text: string): boolean =>
  (text.charCodeAt(text.length - 3) === plus || text.charCodeAt(text.length - 4) === plus) && /^\d(\.\d+)?E\+\d{2,3}$/i.test(text);

const plus = 0x2b;

/** Whether the text marks a line of totals below a table. */
export const isTotals = (text: string): boolean =>
  /^(((grand|sub)[\s-]*)?totals?|sum|\(?\d+ (rows?|records?)( affected| selected)?\)?)[:.]?$/i.test(text);

const acres = new Set(['a', 'ac', 'acre', 'acres']);
const squareFeet = new Set(['s', 'sf', 'sqft', 'sqfeet', 'squarefeet']);

/** True for square feet (`S`, `SF`, `Sq. Ft.`), false for acres (`A`, `AC`, `Acres`), null for any other unit. */
export function isSquareFeetUnit(unit: string): boolean | null {
  const plain = unit.toLowerCase().replace(/[^a-z]/g, '');
  return squareFeet.has(plain) ? true : acres.has(plain) ? false : null;
}
