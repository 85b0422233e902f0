import type { ReadType } from '../../releases/record-fields/record-field-entry.js';
import { dateOf, dayOfExcel } from '../values/date.js';
import { isSquareFeetUnit, numberOf } from '../values/values.js';
import { isLastLine } from './addresses/last-line.js';
import { stateCodes } from './addresses/zip-states.js';
import { factsOf, type MappableField } from './fields.js';
import { distinctShare, type SampledColumn, shareLike, shareOf } from './sampled-column.js';

/** With fewer values, their variety says nothing. */
export const enoughValues = 20;
/** With fewer values, an outlier may be the rule. */
export const someValues = 3;

const letters = /\p{L}/u;
const zip = /^\d{5}[- ]?\d{4}(\.0*)?$|^(\d{3,5}|\d{7,8})(\.0*|-)?$|^0$/;
// WKT, GeoJSON, or WKB in hexadecimal digits, which begins with the order of its bytes.
const shapeText =
  /^(srid=\d+;)?\s*((multi)?(polygon|point)|curvepolygon|multisurface|geometrycollection)\s*((z|m|zm)\s*)?(\(|empty)|^\{.*"coordinates"|^(\\x|0x)?0[01][0-9a-f]{40,}$/i;
const longestRead = 200;

/** How well a column's values fit a field: 1 when they look like it, 0 when they can't be it. A column without values fits. */
export function valueFit(field: MappableField, column: SampledColumn): number {
  if (column.values.length === 0) return 1;
  return (fitsOfField[field] ?? fitsOfType[factsOf[field].type])(column);
}

const number = (text: string) => (text.length > longestRead ? null : numberOf(text));
const isNumber = (text: string) => number(text) !== null;
const isMoney = (text: string) => (number(text) ?? -1) >= 0 || /^\(/.test(text);
/** Includes `0.5 AC` and `24600 S`. */
const isArea = (text: string) => isMoney(text) || (/^[\d.]/.test(text) && isSquareFeetUnit(text) !== null);
export const isZero = (text: string) => /^0*(\.0*)?$/.test(text);
const isDate = (text: string) =>
  text.length <= longestRead && (dateOf(text) !== null || isZero(text) || /^1[789]\d\d-|^\D?0*1\/0*1\/(1?[89]00|1753)/.test(text));
const isUrl = (text: string) => /^https?:|^www\./i.test(text);

const step = (share: number, all: number, some: number): number => (share >= all ? 1 : share >= some ? 0.75 : 0);

const numbersOf = (column: SampledColumn): number[] =>
  column.values
    .map(number)
    .filter((value) => value !== null && value > 0)
    .sort((a, b) => a! - b!) as number[];

export const sumOf = (column: SampledColumn): number => numbersOf(column).reduce((sum, value) => sum + value, 0);

export const largestOf = (column: SampledColumn): number => numbersOf(column).at(-1) ?? 0;

const medianOf = (sorted: number[]): number => sorted[sorted.length >> 1] ?? 0;

const isYear = (text: string) => /^(1[6-9]|20)\d\d(\.0*)?$/.test(text);

function money(column: SampledColumn): number {
  // Values from 1,600 to 2,099 in every row are years, not amounts.
  const sums = column.values.filter((value) => !isZero(value));
  if (sums.length >= 3 && sums.every(isYear)) return 0;
  return step(shareOf(column, isMoney), 0.8, 0.6);
}

function person(column: SampledColumn): number {
  if (shareLike(column, /^[^a-z]*$/i) > 0.3 || shareOf(column, isUrl) > 0.1) return 0;
  if (shareLike(column, /^\d+\s/) > 0.3) return 0; // an address
  // Nearly every owner's name has several words.
  const isPlain = column.values.length >= enoughValues && shareLike(column, /\S[\s,]+\S/) < 0.5;
  // A flag or a kind of owner has few distinct values. Names have many, unless one owner has every parcel of the file.
  const isOfFew = column.values.length >= enoughValues && new Set(column.values).size <= 5;
  if (isOfFew && isPlain) return 0;
  return step(shareLike(column, letters), 0.8, 0.6) * (isPlain ? 0.85 : isOfFew ? 0.65 : 1);
}

function address(column: SampledColumn): number {
  if (shareOf(column, isUrl) > 0.1 || shareOf(column, isNumber) > 0.5) return 0;
  if (column.values.length >= enoughValues && new Set(column.values).size <= 3 && shareLike(column, /^\d+\s+\S/) < 0.5) return 0;
  const hasNumbers = column.values.length < enoughValues || shareLike(column, /\d/) >= 0.2;
  return step(shareLike(column, letters), 0.6, 0.4) * (hasNumbers ? 1 : 0.8);
}

/** A mailing address has a house number or a PO box. */
function mailAddress(column: SampledColumn): number {
  return column.values.length >= someValues && shareLike(column, /\d/) < 0.5 ? 0 : address(column);
}

function city(column: SampledColumn): number {
  if (
    (column.values.length >= someValues && shareLike(column, /^[a-z]{1,2}$/i) > 0.5) ||
    shareLike(column, /^\d/) > 0.2 ||
    shareOf(column, isUrl) > 0
  )
    return 0;
  // A street, or a place with its state and ZIP code.
  if (shareOf(column, (value) => /\d{5}|,\s*[a-z]{2}\b/i.test(value) || isLastLine(value)) > 0.3) return 0.55;
  if (column.values.length >= enoughValues && distinctShare(column) > 0.8) return 0.75;
  return step(shareLike(column, /^[\p{L} .'’()/&-]+$/u), 0.7, 0.5);
}

function code(column: SampledColumn): number {
  if (shareOf(column, isUrl) > 0) return 0;
  const isShort = shareOf(column, (value) => value.length <= 8);
  const wordShare = shareLike(column, /[a-z]{5}/i);
  if (column.values.length >= enoughValues && distinctShare(column) > 0.9) return 0.5;
  return isShort >= 0.7 && wordShare < 0.5 ? 1 : isShort >= 0.5 || shareLike(column, /^[\da-z]{1,5}\s*[-:]/i) > 0.7 ? 0.9 : 0.75;
}

function description(column: SampledColumn): number {
  if (column.values.length >= enoughValues && distinctShare(column) > 0.9) return 0.6;
  const wordShare = shareLike(column, /[a-z]{3}/i);
  return wordShare >= 0.7 ? 1 : wordShare >= 0.4 ? 0.8 : 0;
}

/** A legal description has numbers: lot and block, a section, feet. */
function legalDescription(column: SampledColumn): number {
  if (shareOf(column, isUrl) > 0 || shareOf(column, isNumber) > 0.7) return 0;
  return step(shareLike(column, letters), 0.6, 0.3) * (shareLike(column, /\d/) >= 0.3 ? 1 : 0.8);
}

function year(column: SampledColumn): number {
  return step(shareLike(column, /^(1[6-9]|20)\d\d(\.0*)?$|^0*(\.0*)?$|^9999$/), 0.8, 0.6);
}

function degreesOrMetres(column: SampledColumn): number {
  return step(shareLike(column, /^[+-]?\d+(\.\d*)?$/), 0.8, 0.8);
}

/** A name that a plat has, not its number. */
const name = (column: SampledColumn): number =>
  shareOf(column, isUrl) > 0 || shareOf(column, isNumber) > 0.4 ? 0 : step(shareLike(column, letters), 0.6, 0.4);

/** Of a block or a neighborhood, which may have a name; no area. */
function shortCode(column: SampledColumn): number {
  if (shareOf(column, isUrl) > 0 || shareLike(column, /\d\.\d*[1-9]/) > 0.5) return 0;
  return shareOf(column, (value) => value.length <= 12) >= 0.8 ? 1 : shareOf(column, (value) => value.length <= 40) >= 0.8 ? 0.9 : 0;
}

/** Fits numbers up to `most`. */
const atMost = (most: number, isOne: (value: number) => boolean) => (column: SampledColumn) =>
  step(
    shareOf(column, (text) => {
      const value = number(text);
      return value !== null && value >= 0 && value <= most && isOne(value);
    }),
    0.9,
    0.8,
  );

/** A building is never that small: of a column of counts or of acres. */
const leastSquareFeet = 200;

const buildingArea = (column: SampledColumn): number =>
  largestOf(column) > 0 && largestOf(column) < leastSquareFeet ? 0 : step(shareOf(column, isMoney), 0.8, 0.6);

const fitsOfType: Record<ReadType, (column: SampledColumn) => number> = {
  'parcel number': () => 1, // see parcel-number.ts
  text: name,
  code: shortCode,
  zip: (column) => step(shareLike(column, zip), 0.75, 0.6),
  dollars: money,
  'dollars and cents': money,
  year,
  day: (column) =>
    shareOf(column, isYear) > 0.5 ? 0 : areExcelDays(column) || areDayFirst(column) ? 1 : step(shareOf(column, isDate), 0.6, 0.4),
  acres: (column) => step(shareOf(column, isArea), 0.8, 0.6),
  'square feet': buildingArea,
  count: atMost(5_000, Number.isInteger),
  number: atMost(200, () => true),
  degrees: degreesOrMetres,
  shape: (column) => step(shareLike(column, shapeText), 0.8, 0.8),
};

/** Of fields that want more than their type does. */
const fitsOfField: Partial<Record<MappableField, (column: SampledColumn) => number>> = {
  owner_name: person,
  owner_name_2: (column) =>
    shareLike(column, /^[^a-z]*$/i) > 0.5 || shareLike(column, /^\d+\s/) > 0.3 || shareOf(column, isLastLine) > 0.5
      ? 0
      : step(shareLike(column, letters), 0.7, 0.5),
  mail_address: mailAddress,
  mail_city: city,
  mail_state: (column) =>
    step(
      shareOf(column, (value) => stateCodes.has(value.toUpperCase()) || /^[a-z][a-z .]{3,}$/i.test(value)),
      0.75,
      0.6,
    ),
  situs_address: address,
  situs_city: city,
  use_code: code,
  use_description: description,
  zoning: (column) =>
    // Digits alone are a tax map's zone (Hawaii) or a flood map's.
    shareLike(column, letters) < 0.3 || (column.values.length >= enoughValues && distinctShare(column) > 0.8) ? 0 : 1,
  tax_year: (column) => (shareLike(column, /^(19[89]|20)\d\d?/) < 0.6 ? 0 : year(column)),
  legal_description: legalDescription,
};

/** A median above 500 is in square feet: no county's median lot has 500 acres, and hardly any has under 500 square feet. */
export function looksLikeSquareFeet(column: SampledColumn): boolean {
  return medianOf(numbersOf(column)) > 500;
}

const slashedDay = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d\d)(?!\d)/;
/** In day-first dates three of five have a day above 12. A smaller share is typing errors. */
const surelyDayFirst = 0.2;

/** Whether dates have the day before the month, as 21/09/2019. */
export function areDayFirst({ values }: SampledColumn): boolean {
  const days = values.map((value) => slashedDay.exec(value)).filter((day) => day !== null);
  const beyondMonths = (place: 1 | 2) => days.filter((day) => Number(day[place]) > 12).length;
  return beyondMonths(1) > days.length * surelyDayFirst && beyondMonths(2) * 10 < beyondMonths(1);
}

/** Whether parcel numbers have real decimals: a column of numbers would give all of them the same zeros. */
export const haveDecimals = (column: SampledColumn): boolean => column.values.some((value) => /^\d+\.\d*[1-9]\d*$/.test(value));

/** Whether all values can be Excel's day numbers (43831 is 2020-01-01), and not all are dates in digits. */
export function areExcelDays({ values }: SampledColumn): boolean {
  const numbers = values.filter((value) => !isZero(value));
  const days = numbers.map(dayOfExcel).filter((day) => day !== null);
  if (numbers.length < someValues || days.length < numbers.length) return false;
  // A two-digit year with the day of the year, as 20333, would be a day in the 1950s. A county's median sale is newer.
  const median = days.sort()[days.length >> 1]!;
  return median >= '1980' && !numbers.every((value) => isDateInDigits(Number(value)));
}

/** Whether five digits can be month and year (32005), year, month and day (50105), or month, day and year (10599). */
function isDateInDigits(number: number): boolean {
  const [year, last, middle] = [number % 10_000, number % 100, Math.floor(number / 100) % 100];
  return (year >= 1900 && year < 2100) || isDayOfMonth(last) || isDayOfMonth(middle);
}

const isDayOfMonth = (number: number): boolean => number >= 1 && number <= 31;
