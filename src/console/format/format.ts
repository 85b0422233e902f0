/**
 * Numbers and times are written as the words around them, not as the browser's language would: of `4.000 records` beside `$1,832.15`
 * nobody knows which is the decimal point.
 */
export const pageLanguage = 'en-US';

const counts = new Intl.NumberFormat(pageLanguage, { maximumFractionDigits: 0 });
const shares = new Intl.NumberFormat(pageLanguage, { style: 'percent', maximumFractionDigits: 1 });
const dollars = new Intl.NumberFormat(pageLanguage, { style: 'currency', currency: 'USD' });
const days = new Intl.DateTimeFormat(pageLanguage, { dateStyle: 'medium', timeZone: 'UTC' });

export const formatCount = (count: number | string): string => counts.format(typeof count === 'string' ? BigInt(count) : count);

export const formatShare = (part: number, whole: number): string => (whole === 0 ? '–' : shares.format(part / whole));

/** Dollars are decimal strings, which Intl formats exactly, without converting them to floats. */
export const formatUsd = (usd: string): string => dollars.format(usd as `${number}`);

/** A calendar day (YYYY-MM-DD) has no time zone: it is the same day everywhere. */
export const formatDay = (day: string): string => days.format(new Date(`${day}T00:00:00Z`));

/** The first eight characters of an id: enough to tell a person's few tokens apart. */
export const shortId = (id: string): string => id.slice(0, 8);

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
