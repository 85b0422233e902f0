import { dayOfExcel } from '../values/date.js';
import type { SampledColumn } from './sampled-column.js';

/** With fewer values, an outlier may be the rule. */
const someValues = 3;

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
  const numbers = values.filter((value) => !/^0*(\.0*)?$/.test(value));
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
