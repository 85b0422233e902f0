const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const dayMs = 86_400_000;

/**
 * A day as `YYYY-MM-DD`, from ISO dates, US dates, `YYYYMMDD`, `MMDDYYYY`, days with the month's name (`05MAR2019`, as SAS has them, `Tuesday,
 * March 5, 2019`), and the milliseconds since 1970 of ArcGIS. Null for what is no day, for those that stand for "none", and for the future.
 */
export function dateOf(text: string | null, isDayFirst = false): string | null {
  if (text === null) return null;
  if (isPlainDay(text)) return text;
  const day = readDay(text, isDayFirst);
  if (!day) return null;
  const [year, month, date] = day;
  const time = Date.UTC(year, month - 1, date);
  const exists = new Date(time).getUTCMonth() === month - 1 && date >= 1;
  if (!exists || year < 1600 || time > Date.now() + dayMs) return null;
  const iso = `${year}-${twoDigits(month)}-${twoDigits(date)}`;
  return daysForNone.has(iso) ? null : iso;
}

/** The first days that Excel, Access and SQL Server know of. */
const daysForNone = new Set(['1900-01-01', '1899-12-30', '1899-12-31', '1753-01-01']);

/** The same for a number of days since the end of 1899, as Excel counts from 1927 on with five digits. Null for what is no such day. */
export function dayOfExcel(text: string | null): string | null {
  return text !== null && /^[1-9]\d{4}(\.0*)?$/.test(text)
    ? dateOf(new Date(excelStart + Number(text) * dayMs).toISOString().slice(0, 10))
    : null;
}

const excelStart = Date.UTC(1899, 11, 30);

/**
 * Whether a text is a day since 1901 in the form that is asked for, as most are: found in a tenth of the time that the expressions
 * below take. The last days of months are left to these.
 */
function isPlainDay(text: string): boolean {
  if (text.length !== 10 || text.charCodeAt(4) !== dash || text.charCodeAt(7) !== dash) return false;
  const year = digitsOf(text, 0, 4);
  const month = digitsOf(text, 5, 7);
  const date = digitsOf(text, 8, 10);
  return year > 1900 && year < thisYear && month >= 1 && month <= 12 && date >= 1 && date <= 28;
}

const dash = 0x2d;
// A process that lives on finds out by the expressions.
const thisYear = new Date().getUTCFullYear();

/** NaN where there is anything but digits. */
function digitsOf(text: string, start: number, end: number): number {
  let number = 0;
  for (let i = start; i < end; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return Number.NaN;
    number = number * 10 + digit;
  }
  return number;
}

const twoDigits = (number: number): string => (number < 10 ? `0${number}` : String(number));

type Day = [year: number, month: number, date: number];

function readDay(text: string, isDayFirst: boolean): Day | null {
  // The most frequent first.
  let match = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/.exec(text);
  if (match) return numbers(match[1], match[2], match[3]);
  if (/^-?\d{9,}(\.0*)?$/.test(text)) return dayOfTime(Number(text));
  match = /^(\d{4})(\d\d)(\d\d)(\.0*)?$/.exec(text);
  if (match && Number(match[2]) <= 12 && Number(match[1]) >= 1600) return numbers(match[1], match[2], match[3]);
  // A column of numbers takes the zero of months.
  match = /^(\d\d|\d(?=\d\d(?:19|20)))(\d\d)(\d{4})(\.0*)?$/.exec(text);
  if (match) return numbers(match[3], match[1], match[2]);
  match = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d\d)(?!\d)/.exec(text);
  if (match) return numbers(fullYear(match[3]!), match[isDayFirst ? 2 : 1], match[isDayFirst ? 1 : 2]);
  const day = text.replace(weekday, '');
  match = /^(\d{1,2})[-\s]*([a-z]{3})[a-z]*[-\s,]*(\d{4}|\d\d)(?!\d)/i.exec(day);
  if (match) return numbers(fullYear(match[3]!), monthOf(match[2]!), match[1]);
  match = /^([a-z]{3})[a-z]*\.?\s+(\d{1,2}),?\s+(\d{4})/i.exec(day);
  if (match) return numbers(match[3], monthOf(match[1]!), match[2]);
  return null;
}

const weekday = /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s+/i;

// Numbers below 10,000,000,000 are taken for seconds, larger ones for milliseconds, as are those that would be days before 1800.
function dayOfTime(value: number): Day | null {
  const isSeconds = Math.abs(value) < 1e10 && value * 1000 >= earliestTime;
  const time = new Date(isSeconds ? value * 1000 : value);
  return time.getTime() >= earliestTime ? [time.getUTCFullYear(), time.getUTCMonth() + 1, time.getUTCDate()] : null;
}

const earliestTime = Date.UTC(1800, 0);

function monthOf(name: string): number {
  return months.indexOf(name.toLowerCase()) + 1;
}

function fullYear(year: string): number {
  const number = Number(year);
  if (year.length === 4) return number;
  return number + (2000 + number > new Date().getUTCFullYear() ? 1900 : 2000);
}

function numbers(year: string | number | undefined, month: string | number | undefined, date: string | undefined): Day {
  return [Number(year), Number(month), Number(date)];
}
