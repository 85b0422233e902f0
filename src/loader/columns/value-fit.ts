import type { ReadType } from '../../releases/record-fields/record-field-entry.js';
import { dateOf, dayOfExcel } from '../values/date.js';
import { acresOf, isSquareFeetUnit, numberOf } from '../values/values.js';
import { isLastLine } from './addresses/last-line.js';
import { stateCodes } from './addresses/zip-states.js';
import { factsOf, type MappableField } from './fields.js';
import { distinctShare, ofValues, type SampledColumn, shareLike, shareOf } from './sampled-column.js';

/** Values only veto: a certain name stands unless they are impossible, a likely one is asked about if they are unlikely. */
export type Fit = 'impossible' | 'unlikely' | 'fits';

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

/** Whether a column's values can be a field's. A column without values can be any field. */
export function fitOf(field: MappableField, column: SampledColumn): Fit {
  if (column.values.length === 0) return 'fits';
  // An object or a list as text is no value of any field but the shape.
  if (field !== 'geometry' && hasObjects(column)) return 'impossible';
  return (fitsOfField[field] ?? fitsOfType[factsOf[field].type])(column);
}

const number = (text: string) => (text.length > longestRead ? null : numberOf(text));
const isNumber = (text: string) => number(text) !== null;
const isMoney = (text: string) => (number(text) ?? -1) >= 0 || /^\(/.test(text);
/** Includes `0.5 AC`, `24600 S` and `1.50 deeded acres`. */
const isArea = (text: string) =>
  isMoney(text) || (/^[\d.]/.test(text) && text.length <= longestRead && (isSquareFeetUnit(text) ?? acresOf(text, false)) !== null);
const isZero = (text: string) => /^0*(\.0*)?$/.test(text);
const isDate = (text: string) =>
  text.length <= longestRead && (dateOf(text) !== null || isZero(text) || /^1[789]\d\d-|^\D?0*1\/0*1\/(1?[89]00|1753)/.test(text));
const isUrl = (text: string) => /^https?:|^www\./i.test(text);
const isYear = (text: string) => /^(1[6-9]|20)\d\d(\.0*)?$/.test(text);

const unless = (isImpossible: boolean, isUnlikely = false): Fit => (isImpossible ? 'impossible' : isUnlikely ? 'unlikely' : 'fits');
/** Fits from one share of values, and is impossible below the other. */
const step = (share: number, all: number, some: number): Fit => unless(share < some, share < all);
const hasEnough = (column: SampledColumn): boolean => column.values.length >= enoughValues;
const hasUrls = (column: SampledColumn): boolean => shareOf(column, isUrl) > 0;

const numbersOf = ofValues(
  (column) =>
    column.values
      .map(number)
      .filter((value) => value !== null && value > 0)
      .sort((a, b) => a! - b!) as number[],
);

export const sumOf = ofValues((column) => numbersOf(column).reduce((sum, value) => sum + value, 0));
const largestOf = (column: SampledColumn): number => numbersOf(column).at(-1) ?? 0;
export const medianOf = (column: SampledColumn): number => numbersOf(column)[numbersOf(column).length >> 1] ?? 0;

/** Most values are such as a web page's: `north-bend-gateway`. */
export const areSlugs = (column: SampledColumn): boolean => shareLike(column, /^[a-z]{3,}([-_/][a-z\d]+)+$/) > 0.5;

const hasObjects = ofValues((column) => shareLike(column, /^[{[].*[}\]]$/s) > 0.1);

/** Values from 1,600 to 2,099 in every row are years, and dates are no amounts either. */
function money(column: SampledColumn): Fit {
  const sums = column.values.filter((value) => !isZero(value));
  return sums.length >= someValues && sums.every(isYear) ? 'impossible' : step(shareOf(column, isMoney), 0.8, 0.6);
}

/** At least one of twenty parcels is worth more, and no parcel has as many buildings. */
const maxCount = 500;

/** Columns such as `BUILDINGS` may count them. Zeros alone may be the value of buildings on vacant land. */
function dollars(column: SampledColumn): Fit {
  const fit = money(column);
  return fit === 'fits' && hasEnough(column) && largestOf(column) > 0 && largestOf(column) < maxCount ? 'unlikely' : fit;
}

/** A code has few values, an amount has many. */
const tax = (column: SampledColumn): Fit =>
  hasEnough(column) && largestOf(column) > 0 && largestOf(column) < 100 && distinctShare(column) < 0.3 ? 'impossible' : money(column);

const streetTypes = 'st|street|ave?|avenue|rd|road|dr|drive|ln|lane|ct|court|blvd|way|pl|place|cir|circle|ter|trl|hwy|pkwy|loop';
export const streetType = new RegExp(`^(${streetTypes})\\.?$`, 'i');
/** The ending of nearly all street names, without a house number. */
export const streetEnd = new RegExp(`^[^\\d].*\\s(${streetTypes})\\.?(\\s+[nsew]{1,2})?$`, 'i');

function person(column: SampledColumn): Fit {
  const { values } = column;
  // Nearly every owner's name has several words. A flag or a kind of owner has few distinct values.
  const isPlain = hasEnough(column) && shareLike(column, /\S[\s,/]+\S/) < 0.5;
  const isOfFew = hasEnough(column) && new Set(values).size <= 5;
  const isImpossible = (isOfFew && isPlain) || shareLike(column, letters) < 0.6 || shareOf(column, isUrl) > 0.1;
  // Companies are called `20 OAK STREET LLC`.
  return unless(isImpossible, isPlain || isOfFew || shareLike(column, /^\d+\s/) > 0.3 || shareLike(column, streetEnd) > 0.3);
}

const secondOwner = (column: SampledColumn): Fit =>
  unless(shareLike(column, letters) < 0.5 || shareLike(column, /^\d+\s/) > 0.3 || shareOf(column, isLastLine) > 0.5);

function address(column: SampledColumn): Fit {
  if (shareOf(column, isUrl) > 0.1 || shareOf(column, isNumber) > 0.5 || shareLike(column, letters) < 0.4 || areSlugs(column))
    return 'impossible';
  if (hasEnough(column) && new Set(column.values).size <= 3 && shareLike(column, /^\d+\s+\S/) < 0.5) return 'impossible';
  // A street without house numbers may be half of an address.
  return unless(false, shareLike(column, letters) < 0.6 || (hasEnough(column) && shareLike(column, /\d/) < 0.2));
}

/** A mailing address has a house number or a PO box. */
const mailAddress = (column: SampledColumn): Fit =>
  column.values.length >= someValues && shareLike(column, /\d/) < 0.5 ? 'impossible' : address(column);

function city(column: SampledColumn): Fit {
  const areCodes =
    column.values.length >= someValues &&
    (shareLike(column, /^[a-z]{1,2}$/i) > 0.5 ||
      (new Set(column.values).size >= someValues &&
        (shareLike(column, /^[a-z]{1,3}$/i) > 0.5 || shareLike(column, /^[a-z]{1,4}$/i) > 0.9)));
  if (areCodes || shareLike(column, /^\d+(?!\d|[\s-]+(city|town|village|borough|township|twp)\b)/i) > 0.2 || hasUrls(column))
    return 'impossible';
  // A street, or a place with its state and ZIP code.
  if (shareOf(column, (value) => /\d{5}|,\s*[a-z]{2}\b/i.test(value) || isLastLine(value)) > 0.3) return 'unlikely';
  return step(shareLike(column, /^(\d+[\s-]+)?[\p{L} .'’()/&-]+$/u), 0.7, 0.5);
}

function code(column: SampledColumn): Fit {
  const areShort = shareOf(column, (value) => value.length <= 8) >= 0.5 && shareLike(column, /[a-z]{5}/i) < 0.5;
  return unless(hasUrls(column), !(areShort || shareLike(column, /^[\da-z]{1,5}\s*[-:]/i) > 0.7) || areAllDifferent(column));
}

function description(column: SampledColumn): Fit {
  return unless(shareLike(column, /[a-z]{3}/i) < 0.4, areAllDifferent(column));
}

const areAllDifferent = (column: SampledColumn): boolean => hasEnough(column) && distinctShare(column) > 0.9;

/** A legal description has words and nearly always numbers: lot and block, a section, feet. */
const legalDescription = (column: SampledColumn): Fit =>
  unless(
    hasUrls(column) || shareOf(column, isNumber) > 0.7 || shareLike(column, letters) < 0.3,
    shareLike(column, letters) < 0.6 || shareLike(column, /\d/) < 0.3,
  );

const year = (column: SampledColumn): Fit => step(shareLike(column, /^(1[6-9]|20)\d\d(\.0*)?$|^0*(\.0*)?$|^9999$/), 0.8, 0.6);

/** A name that a plat has, not its number. */
const name = (column: SampledColumn): Fit => unless(hasUrls(column) || shareOf(column, isNumber) > 0.4 || shareLike(column, letters) < 0.4);

/** A block or a neighborhood may have a name; it is no area. */
const shortCode = (column: SampledColumn): Fit =>
  unless(hasUrls(column) || shareLike(column, /\d\.\d*[1-9]/) > 0.5 || shareOf(column, (value) => value.length <= 40) < 0.8);

/** A number of which none is larger than this. */
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

const buildingArea = (column: SampledColumn): Fit =>
  largestOf(column) > 0 && largestOf(column) < leastSquareFeet ? 'impossible' : step(shareOf(column, isMoney), 0.8, 0.6);

const fitsOfType: Record<ReadType, (column: SampledColumn) => Fit> = {
  'parcel number': () => 'fits', // see parcel-number.ts
  text: name,
  code: shortCode,
  zip: (column) => step(shareLike(column, zip), 0.75, 0.6),
  dollars,
  'dollars and cents': tax,
  year,
  day: (column) =>
    shareOf(column, isYear) > 0.5
      ? 'impossible'
      : areExcelDays(column) || areDayFirst(column)
        ? 'fits'
        : step(shareOf(column, isDate), 0.6, 0.4),
  acres: (column) => step(shareOf(column, isArea), 0.8, 0.6),
  'square feet': buildingArea,
  count: atMost(5_000, Number.isInteger),
  number: atMost(200, () => true),
  degrees: (column) => step(shareLike(column, /^[+-]?\d+(\.\d*)?$/), 0.8, 0.8),
  shape: (column) => step(shareLike(column, shapeText), 0.8, 0.8),
};

/** The rules of fields that want more than their type does. */
const fitsOfField: Partial<Record<MappableField, (column: SampledColumn) => Fit>> = {
  owner_name: person,
  owner_name_2: secondOwner,
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
  // Digits alone are a tax map's zone (Hawaii) or a flood map's.
  zoning: (column) => unless(shareLike(column, letters) < 0.3 || (hasEnough(column) && distinctShare(column) > 0.8)),
  tax_year: (column) => (shareLike(column, /^(19[89]|20)\d\d?/) < 0.6 ? 'impossible' : year(column)),
  legal_description: legalDescription,
  // A subdivision's code is not its name.
  subdivision: (column) => (shareLike(column, /[a-z]{3}/i) < 0.3 ? 'impossible' : name(column)),
};

/** A median above 500 is in square feet: no county's median lot has 500 acres, and hardly any has under 500 square feet. */
export const looksLikeSquareFeet = (column: SampledColumn): boolean => medianOf(column) > 500;

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
