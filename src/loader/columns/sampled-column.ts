import { AppError } from '../../core/errors.js';
import type { Properties } from '../formats/source.js';
import { textOf } from '../values/values.js';
import { plainName } from './fields.js';

const maxColumns = 5_000;

/** A column of a file, with the values of the sampled rows. */
export interface SampledColumn {
  name: string;
  plain: string;
  /** Without blanks. */
  values: string[];
  /** Of how many rows. */
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

/** The share of a column's values for which something holds. */
export function shareOf({ values }: SampledColumn, holds: (value: string) => boolean): number {
  return values.length === 0 ? 0 : values.filter(holds).length / values.length;
}

export function shareLike(column: SampledColumn, pattern: RegExp): number {
  return shareOf(column, (value) => pattern.test(value));
}

/** How many of a column's values are different from each other, from 0 to 1. */
export function distinctShare({ values }: SampledColumn): number {
  return values.length === 0 ? 0 : new Set(values).size / values.length;
}
