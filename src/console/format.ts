/**
 * Numbers and times use the language of the pages, not that of the browser. With `4.000 records` beside `$1,832.15`, the decimal point
 * would be ambiguous.
 */
export const pageLanguage = 'en-US';

const counts = new Intl.NumberFormat(pageLanguage, { maximumFractionDigits: 0 });
const shares = new Intl.NumberFormat(pageLanguage, { style: 'percent', maximumFractionDigits: 1 });
const dollars = new Intl.NumberFormat(pageLanguage, { style: 'currency', currency: 'USD' });
const days = new Intl.DateTimeFormat(pageLanguage, { dateStyle: 'medium', timeZone: 'UTC' });

export const formatCount = (count: number | string): string => counts.format(typeof count === 'string' ? BigInt(count) : count);

export const formatShare = (part: number, whole: number): string => (whole === 0 ? '–' : shares.format(part / whole));

/** How much of a county's area has records. Records without shapes cover nothing, however many there are. */
export const formatArea = (share: number): string => (share === 0 ? 'no shapes' : formatShare(share, 1));

/** Dollars are decimal strings, which Intl formats exactly, without floats. */
export const formatUsd = (usd: string): string => dollars.format(usd as `${number}`);

export const formatCents = (cents: number): string => formatUsd(`${cents}e-2`);

/** Dollars of a decimal string with at most two places, in cents: '12.5' → 1250. */
export function centsOf(usd: string): number {
  const [whole = '', fraction = ''] = usd.split('.');
  return Number(whole) * 100 + Number(fraction.padEnd(2, '0'));
}

/** A calendar day (YYYY-MM-DD) has no time zone. */
export const formatDay = (day: string | null): string => (day ? days.format(new Date(`${day}T00:00:00Z`)) : '–');

/** The last group of an id: the beginning of many is their time, which neighbours share. */
export const shortId = (id: string): string => `…${id.slice(-12)}`;

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** `from ADDRESS, ` for the IP address of a session, with IPv6 in its short form. Empty for this machine (`::`). */
export function fromAddress(address: string | null | undefined): string {
  const short = address?.includes(':') ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
  return short && short !== '::' ? `from ${short}, ` : '';
}

/** The common names of the browser and the system in a user agent. */
export function browserOf(userAgent: string | null | undefined): string {
  const browser = /(Edg|OPR|Firefox|Chrome|Safari|curl)/.exec(userAgent ?? '')?.[1];
  const system = /(Windows|Mac OS|Android|iPhone|iPad|Linux)/.exec(userAgent ?? '')?.[1];
  const name = { Edg: 'Edge', OPR: 'Opera' }[browser ?? ''] ?? browser;
  return [name ?? 'Unknown browser', system && `on ${system}`].filter(Boolean).join(' ');
}

/** Props of a name field: the browser refuses an empty name with a readable message. The server checks the rest. */
export const nameRule = { required: true, pattern: '.*\\S.*', title: 'The name must not be empty' };

let offsetMs = 0;

/** Sets the clock from the `Date` header of an answer, because the clock of the user's device may be wrong. */
export function syncServerClock(date: string | null): void {
  const server = date === null ? Number.NaN : Date.parse(date);
  // The header has whole seconds, so half a second has passed on average.
  if (!Number.isNaN(server)) offsetMs = server + 500 - Date.now();
}

/** The server's time to within about a second, in milliseconds since 1970. */
export const serverNow = (): number => Date.now() + offsetMs;

/** Whether a time has passed by the server's clock. False for null. */
export const hasPassed = (at: string | null): boolean => at !== null && Date.parse(at) <= serverNow();

const words = new Intl.RelativeTimeFormat(pageLanguage, { numeric: 'auto' });

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];

// Each unit is used below its limit.
const units: [Intl.RelativeTimeFormatUnit, lengthMs: number, belowMs: number][] = [
  ['second', second, minute],
  ['minute', minute, hour],
  ['hour', hour, day],
  ['day', day, 60 * day],
  ['month', 30 * day, 720 * day],
  ['year', 365 * day, Number.POSITIVE_INFINITY],
];

/** A time span in words, rounded: 29 days and 23 hours are 30 days. */
export function relativeTime(distanceMs: number): string {
  const [unit, length] = units.find(([, lengthMs, belowMs]) => Math.round(Math.abs(distanceMs) / lengthMs) * lengthMs < belowMs)!;
  return words.format(Math.round(distanceMs / length), unit);
}

export const ownTimeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

// The Swedish locale writes a day as YYYY-MM-DD.
export const isoDay = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short' });

/** The last days in the user's time zone, including today, oldest first. */
export function lastDays(count: number): string[] {
  const today = new Date();
  return Array.from({ length: count }, (_, index) =>
    isoDay.format(new Date(today.getFullYear(), today.getMonth(), today.getDate() - count + 1 + index)),
  );
}

/** The start of a day in the user's time zone, plus some days; a moment as it is. Null if it is neither. */
export function startOf(day: string | null, daysLater: number): string | null {
  if (isMoment(day)) return day;
  const [, year, month, date] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? '') ?? []).map(Number);
  if (year === undefined || month === undefined || date === undefined) return null;
  // `Date` would turn February 31 into a day in March.
  if (new Date(year, month - 1, date).getDate() !== date) return null;
  return new Date(year, month - 1, date + daysLater).toISOString();
}

/** Whether a text is a moment rather than a day: links name a period of a bill exactly. */
export const isMoment = (text: string | null): text is string =>
  /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text ?? '') && !Number.isNaN(Date.parse(text ?? ''));
