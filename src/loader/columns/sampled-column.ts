import { AppError } from '../../core/errors.js';
import type { Properties } from '../formats/source-row.js';
import { textOf } from '../values/values.js';
import { stateCodes } from './addresses/zip-states.js';
import { plainName } from './fields.js';
import type { NameReading } from './names/read-name.js';

const maxColumns = 5_000;

/** A column of a file, with the values of the sampled rows. */
export interface SampledColumn {
  name: string;
  plain: string;
  /** The values, without blanks. */
  values: string[];
  /** How many rows were sampled. */
  rowCount: number;
}

export function sampleColumns(rows: Properties[]): SampledColumn[] {
  const valuesOf = new Map<string, string[]>();
  for (const properties of rows) {
    for (const name of Object.keys(properties)) {
      const values = valuesOf.get(name) ?? [];
      valuesOf.set(name, values);
      if (valuesOf.size > maxColumns) throw new AppError('invalid_request', `The file has more than ${maxColumns} columns.`);
      const text = textOf(properties[name]);
      if (text !== null) values.push(text);
    }
  }
  return [...valuesOf].map(([name, values]) => ({ name, plain: plainName(name), values, rowCount: rows.length }));
}

/** The share of a column's values that meet a condition. */
export function shareOf({ values }: SampledColumn, holds: (value: string) => boolean): number {
  return values.length === 0 ? 0 : values.filter(holds).length / values.length;
}

export function shareLike(column: SampledColumn, pattern: RegExp): number {
  return shareOf(column, (value) => pattern.test(value));
}

/** The share of distinct values, from 0 to 1. */
export function distinctShare({ values }: SampledColumn): number {
  return values.length === 0 ? 0 : new Set(values).size / values.length;
}

/** The readings of a name that its values allow: `ST` is the state if the values are state codes, otherwise the street. */
export function fittingReadings(readings: NameReading[], column: SampledColumn): NameReading[] {
  if (column.values.length === 0) return readings;
  const areStates = shareOf(column, (value) => stateCodes.has(value.toUpperCase())) > 0.5;
  const fitting = readings.filter(({ concepts }) => concepts.includes('state') === areStates);
  return fitting.length > 0 ? fitting : readings;
}
