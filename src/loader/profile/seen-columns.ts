import { type SampledColumn, sampleColumns } from '../columns/sampled-column.js';
import type { SourceRow } from '../formats/source-row.js';
import { numberOf } from '../values/values.js';

/** A column in the sampled rows of a load. */
export interface SeenColumn {
  /** The share of rows with a value. */
  filled: number;
  distinct: number;
  /** Some of its different values, spread over the sample. */
  samples: string[];
  /** The range of a column of numbers. */
  range?: { low: number; middle: number; high: number };
}

export type SeenColumns = Record<string, SeenColumn>;

interface SampledRows {
  sample: SourceRow[];
  rollSample: SourceRow[];
}

export const maxSamples = 8;
export const maxSampleLength = 60;
const minNumbers = 0.9;

/** The columns of a load's files, sampled. A column that both the shapes and the roll have counts the rows of both. */
export function sampledColumnsOf({ sample, rollSample }: SampledRows): SampledColumn[] {
  const all = new Map<string, SampledColumn>();
  for (const rows of [sample, rollSample]) {
    for (const column of sampleColumns(readable(rows))) {
      const other = all.get(column.name);
      all.set(
        column.name,
        other ? { ...column, values: [...other.values, ...column.values], rowCount: other.rowCount + column.rowCount } : column,
      );
    }
  }
  return [...all.values()];
}

export const seenColumns = (plan: SampledRows): SeenColumns =>
  Object.fromEntries(
    sampledColumnsOf(plan)
      .filter(({ name }) => isStorable(name))
      .map((column) => [column.name, describeColumn(column)]),
  );

export function describeColumn({ values, rowCount }: SampledColumn): SeenColumn {
  const different = [...new Set(values.map(cut))];
  const step = Math.max(1, different.length / maxSamples);
  const samples = Array.from({ length: Math.min(maxSamples, different.length) }, (_, i) => different[Math.floor(i * step)]!);
  const range = rangeOf(values);
  return { filled: rowCount === 0 ? 0 : rounded(values.length / rowCount), distinct: different.length, samples, ...(range && { range }) };
}

// NUL and half a surrogate pair, which Postgres does not store, can be in a broken file.
const unstorable = /[\0\p{Cs}]/gu;
export const isStorable = (text: string): boolean => text.search(unstorable) < 0;

export const cut = (value: string): string =>
  [...value.slice(0, 4 * maxSampleLength).replace(unstorable, '')].slice(0, maxSampleLength).join('');

function rangeOf(values: string[]): SeenColumn['range'] {
  const numbers = values.map((value) => numberOf(value)).filter((number) => number !== null);
  if (numbers.length === 0 || numbers.length < values.length * minNumbers) return undefined;
  numbers.sort((a, b) => a - b);
  return { low: numbers[0]!, middle: numbers[numbers.length >> 1]!, high: numbers.at(-1)! };
}

const rounded = (share: number): number => Math.round(share * 1000) / 1000;

const readable = (rows: SourceRow[]) => rows.filter(({ fault }) => fault === null).map(({ properties }) => properties);
