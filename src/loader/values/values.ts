import { isSquareFeetUnit } from './area-unit.js';

/** What exporters write for a blank: also SAS (`.`), MySQL and Postgres (`\N`), pandas (`NaT`, `<NA>`), and Excel where a formula failed. */
const blankWords = new Set(
  'null <null> (null) nan nat <na> n/a none undefined . \\n #n/a #ref! #value! #name? #num! #div/0! #null!'.split(' '),
);

/** A value as the county wrote it, apart from trimming; null where it wrote nothing. */
export function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const text = typeof value === 'string' ? trimmed(value) : typeof value === 'object' ? JSON.stringify(value) : String(value);
  if (text === '' || (mayBeBlankWord(text) && blankWords.has(text.toLowerCase()))) return null;
  return text;
}

/** Whether a text of printable characters is a value as it is, without being looked at more closely. */
export function isTidy(text: string): boolean {
  const { length } = text;
  return length > 0 && text.charCodeAt(0) !== space && text.charCodeAt(length - 1) !== space && !mayBeBlankWord(text);
}

const space = 0x20;

// Fixed-width exports pad with NUL as well as with spaces; Postgres can't hold a NUL at all.
function trimmed(text: string): string {
  const plain = text.indexOf('\0') < 0 ? text : text.replaceAll('\0', '');
  return isEdge(plain.charCodeAt(0)) || isEdge(plain.charCodeAt(plain.length - 1)) ? plain.trim() : plain;
}

// Whether a character may be one that `trim` takes away: a control character, a space, or anything beyond ASCII.
const isEdge = (code: number): boolean => code <= 0x20 || code > 0x7e;

const isBlankWordStart = new Uint8Array(128);
for (const word of blankWords) {
  for (const start of [word, word.toUpperCase()]) isBlankWordStart[start.charCodeAt(0)] = 1;
}

const mayBeBlankWord = (text: string): boolean => text.length < 10 && isBlankWordStart[text.charCodeAt(0)] === 1;

/** A number as it is, or the one that a text says. A column of numbers need not become text first. */
export type NumberOrText = number | string | null;

// With long runs of spaces the expressions below would take time that grows with the square of their length.
const maxNumberLength = 100;

/**
 * Reads `1234.5`, `1,234.50`, `$1,200`, `(500)`, `0500-` and `0500+` (of mainframes), `1.2E+5`, `$ -` (0 in Excel's format of accounts), and
 * with a decimal comma `1,23`, `0,5` or `1.234,56`; null for what is no number. A comma stands between thousands where each comma is followed by just three digits and one to
 * three digits lead, the first not 0: `1,234` is a thousand. Any other single comma is a decimal one.
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

/** `0x1F` and `0b11` are codes, though JavaScript reads them. */
const isOfDigits = (text: string): boolean => text.charCodeAt(0) !== zero || !/^0[xbo]/i.test(text);

function withDecimalPoint(digits: string): string {
  if (/^[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/.test(digits)) return digits.replaceAll(',', '');
  if (/^\d*,\d*$/.test(digits) || /^[1-9]\d{0,2}(\.\d{3})+,\d*$/.test(digits)) return digits.replaceAll('.', '').replace(',', '.');
  // Commas as people put them: 12,34,567 or 1234,567.89.
  return digits.replaceAll(',', '');
}

/** Whole US dollars; null for what is no amount or below zero. */
export function dollarsOf(text: NumberOrText): number | null {
  const amount = numberOf(text);
  return amount === null || amount < 0 || amount > Number.MAX_SAFE_INTEGER ? null : Math.round(amount);
}

/** US dollars as a decimal string, so that no reader turns cents into a float; null for none, zero or below. */
export function decimalDollarsOf(text: NumberOrText): string | null {
  if (typeof text === 'string' && /^[1-9]\d{0,8}\.\d\d$/.test(text)) return text;
  const amount = numberOf(text);
  return amount === null || amount <= 0 || amount > 1e12 ? null : amount.toFixed(2);
}

const earliestYear = 1600;
const latestYear = new Date().getUTCFullYear() + 2;

/** The year that the text names first, also in a day as `20190115`; null for none, for 0 and 9999, which stand for none, and for 19650. */
export function yearOf(text: NumberOrText): number | null {
  if (typeof text === 'number' && text >= earliestYear && text <= latestYear) return Math.trunc(text);
  const year = Number(/^\d{4}(?=(\d{4})?(?!\d))/.exec(String(text))?.[0]);
  return year >= earliestYear && year <= latestYear ? year : null;
}

export const squareFeetAnAcre = 43_560;

/**
 * Acres as recorded; zero is how counties write that they recorded none.
 * @param isSquareFeet of a number without a unit behind it: `24600 S` and `0.5 AC` say theirs
 */
export function acresOf(text: NumberOrText, isSquareFeet: boolean): number | null {
  const area = numberOf(text);
  if (area === null && typeof text === 'string') {
    const [, number, unit] = /^([\d.,]+)\s*([a-z][a-z. ]*)$/i.exec(text) ?? [];
    const stated = unit === undefined ? null : isSquareFeetUnit(unit);
    return stated === null ? null : acresOf(numberOf(number!), stated);
  }
  if (area === null || area <= 0 || area > 1e12) return null;
  return (isSquareFeet ? rounded(area / squareFeetAnAcre, 4) : rounded(area, 6)) || null;
}

export function rounded(value: number, decimals: number): number {
  const factor = 10 ** decimals;
  return Math.round(value * factor) / factor;
}

/**
 * A code or a piece of a parcel number without the decimals that a column of numbers gave it on its way into text, `11.000000` or `11.0`:
 * from other formats the same column comes as 11.
 */
export function withoutDecimals(text: string): string {
  return text.charCodeAt(text.length - 1) === zero && /^\d+\.0(0{5,})?$/.test(text) ? text.slice(0, text.indexOf('.')) : text;
}

const zero = 0x30;

/**
 * A piece of an address, without the decimals of any column of numbers (`757.00`), and a house number without the zeros before it. Null for
 * 0, which is how a blank is written in such a column; in a parcel number nobody knows.
 */
export function addressPieceOf(text: string, isFirst: boolean): string | null {
  const piece = text.charCodeAt(text.length - 1) === zero ? text.replace(/^(\d+)\.0+$/, '$1') : text;
  if (piece === '0') return null;
  return isFirst && piece.charCodeAt(0) === zero && /^\d+$/.test(piece) ? piece.replace(/^0+/, '') || null : piece;
}

/** A ZIP code, also where it went through a number column: `94704.0`, `2139` (Cambridge), `941031234`, `21391234`; `02139-` is one, too. */
export function zipOf(text: string | null, mayHaveLostZeros: (zip: string) => boolean = () => true): string | null {
  if (text === null || /^[1-9]\d{4}$/.test(text)) return text;
  const zip = text.replace(/^(\d+)(\.0*|-)$/, '$1');
  if (/^0*$/.test(zip.replace('-', ''))) return null;
  const length = /^\d{3,4}$/.test(zip) ? 5 : /^\d{7,8}$/.test(zip) ? 9 : 0;
  return zip.length < length && mayHaveLostZeros(zip) ? zip.padStart(length, '0') : zip;
}

const statesOfZeros = new Set(
  'AE CT CONN CONNECTICUT MA MASS MASSACHUSETTS ME MAINE NH NEWHAMPSHIRE NJ NEWJERSEY NY NEWYORK PR PUERTORICO RI RHODEISLAND VI VIRGINISLANDS VT VERMONT'.split(
    ' ',
  ),
);

/** Whether ZIP codes may begin with a zero where an address says it is: also at military posts in Europe (AE), and on New York's islands. */
export const isStateOfZeros = (state: string): boolean => statesOfZeros.has(state.toUpperCase().replace(/[^A-Z]/g, ''));

/**
 * The parcel number as the county wrote it. One of punctuation alone (`---`, `-`) is how map editors mark shapes that have none;
 * one with a decimal point and zeros came through a number column, unless others have decimals.
 * @param minDigits that stand before a point from which on zeros are cut: `12.0` alone may be a lot's number
 */
export function parcelNumberOf(text: string | null, minDigits: number): string | null {
  if (text === null || !/[\p{L}\p{N}]/u.test(text) || isCutNumber(text)) return null;
  const point = text.indexOf('.');
  const apn = point >= minDigits && /^\d+\.0+$/.test(text) ? text.slice(0, point) : text;
  return /^0[0 ]*$/.test(apn) ? null : apn;
}

/**
 * Whether a number went through Excel (`1.23457E+11`) or ArcGIS' tables (`1.23456789012e+013`): its last digits are lost, and many parcels
 * have the same.
 */
export const isCutNumber = (text: string): boolean =>
  (text.charCodeAt(text.length - 3) === plus || text.charCodeAt(text.length - 4) === plus) && /^\d(\.\d+)?E\+\d{2,3}$/i.test(text);

const plus = 0x2b;

/** Whether it stands below a table, where the parcel number should be. */
export const isTotals = (text: string): boolean =>
  /^(((grand|sub)[\s-]*)?totals?|sum|\(?\d+ (rows?|records?)( affected| selected)?\)?)[:.]?$/i.test(text);

/** For searching only: different parcels of a county may become alike. */
export function plainParcelNumber(apn: string): string {
  return apn.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '');
}
