import { states } from '../../../counties/states.js';
import type { NameReading } from '../names/read-name.js';
import { type SampledColumn, shareOf } from '../sampled-column.js';

export const stateCodes: ReadonlySet<string> = new Set(Object.keys(states));

const zipRanges = new Map(Object.entries(states).map(([code, [, , ranges]]) => [code, ranges.split(' ').map((range) => range.split('-'))]));

/** Whether a text is the code of another state. */
export const isForeignState = (code: string, state: string): boolean => stateCodes.has(code.toUpperCase()) && code.toUpperCase() !== state;

/** Whether a ZIP code (see `zipOf`) can be in a state. */
export function isZipOf(state: string, zip: string): boolean {
  const prefix = zip.slice(0, 3);
  return zipRanges.get(state)?.some(([from, to = from]) => prefix >= from! && prefix <= to!) ?? true;
}

/** The readings of a name that its values allow: `ST` is the state if the values are state codes, otherwise the street. */
export function withFittingStates(readings: NameReading[], column: SampledColumn): NameReading[] {
  if (column.values.length === 0) return readings;
  const areStates = shareOf(column, (value) => stateCodes.has(value.toUpperCase())) > 0.5;
  const fitting = readings.filter(({ concepts }) => concepts.includes('state') === areStates);
  return fitting.length > 0 ? fitting : readings;
}
