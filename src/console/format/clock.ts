import { pageLanguage } from './format.js';

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
