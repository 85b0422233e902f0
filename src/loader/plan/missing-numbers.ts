import type { Mapping } from '../columns/fields.js';
import type { SourceRow } from '../formats/source.js';
import { FieldReader } from '../records/field-reader.js';
import { BeyondReason } from '../values/outliers.js';
import { textOf } from '../values/values.js';
import type { LoadPlan } from './plan-load.js';

// Roads and waters have no number; but not so many of them.
const fewWithout = 0.2;

/** Where many records have no parcel number, they may be no parcels: buildings, or the outline of the tract. */
export function missingNumbersWarning({ mapping, join, columns, sample }: LoadPlan, loaded: number, numbered: number): string[] {
  if (!mapping.apn || loaded - numbered <= loaded * fewWithout) return [];
  const kind = join ? undefined : kindWithNumbers(sample, mapping, columns);
  return [
    `${loaded - numbered} of ${loaded} records have no parcel number in ${mapping.apn.columns.join('+')}: are they parcels?` +
      (kind ? ` --where "${kind}" keeps those that have one.` : ''),
  ];
}

const mostKinds = 20;
const nearlyAll = 0.95;

/** The column, and the value, which rows have that have a parcel number, and no others. */
function kindWithNumbers(sample: SourceRow[], mapping: Mapping, columns: string[]): string | undefined {
  const read = new FieldReader(mapping, new BeyondReason());
  const rows = sample.filter(({ fault }) => fault === null);
  const numbered = rows.filter((row) => {
    read.turnTo(row);
    return read.parcelNumber() !== null;
  });
  for (const column of columns) {
    const [all, own] = [countsOf(rows, column), countsOf(numbered, column)];
    if (all.size > mostKinds) continue;
    for (const [value, count] of own) {
      if (count >= numbered.length * nearlyAll && count >= all.get(value)! * nearlyAll) return `${column}=${value}`;
    }
  }
  return undefined;
}

function countsOf(rows: SourceRow[], column: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { properties } of rows) {
    const value = textOf(properties[column]);
    if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}
