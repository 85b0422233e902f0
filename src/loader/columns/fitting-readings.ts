import { stateCodes } from './addresses/zip-states.js';
import type { NameReading } from './names/read-name.js';
import { type SampledColumn, shareOf } from './sampled-column.js';

/** Of a name with several readings those that its values allow: `ST` is the state where they are codes of states, else the street. */
export function fittingReadings(readings: NameReading[], column: SampledColumn): NameReading[] {
  if (column.values.length === 0) return readings;
  const areStates = shareOf(column, (value) => stateCodes.has(value.toUpperCase())) > 0.5;
  const fitting = readings.filter(({ concepts }) => concepts.includes('state') === areStates);
  return fitting.length > 0 ? fitting : readings;
}
