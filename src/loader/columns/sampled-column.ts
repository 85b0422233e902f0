import { refusal } from '../../core/errors.js';
import type { Properties } from '../formats/source-row.js';
import { textOf } from '../values/values.js';
import { plainName } from './fields.js';

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
      if (valuesOf.size > maxColumns) throw refusal(`The file has more than ${maxColumns} columns.`);
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

/** Counties' words for a blank, besides those that `textOf` knows. */
const placeholder = /^(0*(\.0*)?|-+|unknown|not available|no data|1\/1\/1900)$/i;

/** The share of sampled rows with a value that says something. Shapefiles write an unused column as zeros. */
export const filledShare = ofValues(
  ({ values, rowCount }) => values.filter((value) => !placeholder.test(value)).length / Math.max(1, rowCount),
);

/** A column with less than this share of another's values is sparse: it never comes before the full one. */
export const sparseShare = 0.5;

/** Computes once for each column: it is a candidate for many fields. */
export function ofValues<Result>(compute: (column: SampledColumn) => Result): (column: SampledColumn) => Result {
  const known = new WeakMap<string[], Result>();
  return (column) => {
    const found = known.get(column.values);
    if (found !== undefined) return found;
    const result = compute(column);
    known.set(column.values, result);
    return result;
  };
}
