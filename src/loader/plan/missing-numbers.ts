import type { Mapping } from '../columns/fields.js';
import type { SourceRow } from '../formats/source-row.js';
import { FieldReader } from '../records/field-reader.js';
import { OutlierCounter } from '../values/outliers.js';
import { textOf } from '../values/values.js';
import type { LoadPlan } from './plan-load.js';

// Roads and waters have no number, but there are fewer of them.
const fewWithout = 0.2;

/** Warns when many records lack a parcel number: they may be buildings or a tract's outline. */
export function missingNumbersWarning({ mapping, join, columns, sample }: LoadPlan, loaded: number, numbered: number): string[] {
  if (!mapping.apn)
    return loaded === 0
      ? []
      : [`None of the ${loaded} records has a parcel number: no column of numbers was found. Name it with --map apn=COLUMN.`];
  if (loaded - numbered <= loaded * fewWithout) return [];
  const kind = join ? undefined : conditionForNumbers(sample, mapping, columns);
  return [
    `${loaded - numbered} of ${loaded} records have no parcel number in ${mapping.apn.columns.join('+')}: are they parcels?` +
      (kind ? ` --where "${kind}" keeps those that have one.` : ''),
  ];
}

const mostKinds = 20;
const nearlyAll = 0.95;

/** A `COLUMN=VALUE` condition that separates rows with a parcel number from those without. */
function conditionForNumbers(sample: SourceRow[], mapping: Mapping, columns: string[]): string | undefined {
  const read = new FieldReader(mapping, new OutlierCounter());
  const rows = sample.filter(({ fault }) => fault === null);
  const numbered = rows.filter((row) => {
    read.moveTo(row);
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
