import { pageLanguage } from './format.js';

const words = new Intl.RelativeTimeFormat(pageLanguage, { numeric: 'auto' });

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];

// Each unit up to where the next one tells enough.
const units: [Intl.RelativeTimeFormatUnit, lengthMs: number, belowMs: number][] = [
  ['second', second, minute],
  ['minute', minute, hour],
  ['hour', hour, day],
  ['day', day, 60 * day],
  ['month', 30 * day, 720 * day],
  ['year', 365 * day, Number.POSITIVE_INFINITY],
];

/** A distance in words, rounded: 29 days and 23 hours are 30 days. */
export function relativeTime(distanceMs: number): string {
  const [unit, length] = units.find(([, lengthMs, belowMs]) => Math.round(Math.abs(distanceMs) / lengthMs) * lengthMs < belowMs)!;
  return words.format(Math.round(distanceMs / length), unit);
}
