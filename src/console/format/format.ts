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

/** Dollars are decimal strings, which Intl formats exactly, without floats. */
export const formatUsd = (usd: string): string => dollars.format(usd as `${number}`);

export const formatCents = (cents: number): string => formatUsd(`${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, '0')}`);

/** Dollars of a decimal string with at most two places, in cents: '12.5' → 1250. */
export function centsOf(usd: string): number {
  const [whole = '', fraction = ''] = usd.split('.');
  return Number(whole) * 100 + Number(fraction.padEnd(2, '0'));
}

/** A calendar day (YYYY-MM-DD) has no time zone. */
export const formatDay = (day: string | null): string => (day ? days.format(new Date(`${day}T00:00:00Z`)) : '–');

/** The end of an id: the beginning of many is their time, which neighbours share. */
export const shortId = (id: string): string => `…${id.slice(-8)}`;

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
