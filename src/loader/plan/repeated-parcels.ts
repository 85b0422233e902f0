import type { Finding } from '../../releases/catalogue/release-report.js';
import { type MappableField, type Mapping, mappableFields } from '../columns/fields.js';
import type { SourceRow } from '../formats/source-row.js';
import { FieldReader, fieldNumber } from '../records/field-reader.js';
import { textOf } from '../values/values.js';
import { type JoinPlan, withJoinKey } from './plan-join.js';

interface Sampled {
  mapping: Mapping;
  columns: string[];
  /** The rows with the parcels' values: the roll's, if there is one. */
  rows: SourceRow[];
  join: JoinPlan | null;
}

// Back taxes give a parcel a few more rows. A table of several years repeats nearly every parcel.
const enoughNumbers = 3;
const minShare = 0.2;
const areMany = (several: number, all: number): boolean => several >= enoughNumbers && several >= all * minShare;

/** Parcels have several rows, such as one for each year, each line of their land or each sale: each row would be sold as a record. */
export function repeatedParcels(sampled: Sampled): Finding[] {
  const read = new FieldReader(withJoinKey(sampled.mapping, sampled.join));
  const parcels = rowsByNumber(sampled.rows, read);
  const repeated = parcels.filter((rows) => rows.length > 1);
  if (!areMany(repeated.length, parcels.length)) return [];
  const finding = (numbers: number, advice: string): Finding[] => [
    {
      name: 'rows',
      message: `${numbers} of the first ${parcels.length} parcel numbers have several rows, and each row becomes its own record: ${advice}`,
    },
  ];
  const condition = oneOfEach(sampled, parcels);
  if (condition && sampled.join) return finding(repeated.length, `leave only those of ${condition} in the roll`);
  if (condition) return finding(repeated.length, `--where "${condition}" loads one of each`);
  const lines = repeated.filter((rows) => differInLinesOnly(rows, sampled.mapping, read)).length;
  const file = sampled.join ? 'roll' : 'file';
  return areMany(lines, parcels.length)
    ? finding(lines, `they differ only in their sale or use, so leave only the latest or main one of each parcel in the ${file}`)
    : [];
}

function rowsByNumber(rows: SourceRow[], read: FieldReader): SourceRow[][] {
  const parcels = new Map<string, SourceRow[]>();
  for (const row of rows) {
    if (row.fault !== null) continue;
    read.moveTo(row);
    const apn = read.parcelNumber();
    if (apn !== null) parcels.set(apn, [...(parcels.get(apn) ?? []), row]);
  }
  return [...parcels.values()];
}

const nearlyAll = 0.95;

/** A condition that one row of each parcel meets: the latest year, or the first line. Units of a building have none. */
function oneOfEach({ mapping, columns }: Sampled, parcels: SourceRow[][]): string | null {
  const year = mapping.tax_year?.columns[0];
  const numbered = columns.map((column) => ({ column, values: timesAlone(column, parcels) }));
  // Columns with few different values first: the number of a line is 1, 2 or 3, and every parcel has a line 1.
  const byKinds = numbered.toSorted((a, b) => Number(b.column === year) - Number(a.column === year) || a.values.size - b.values.size);
  for (const { column, values } of byKinds) {
    const found = [...values].filter(([, parcelCount]) => parcelCount >= parcels.length * nearlyAll).map(([value]) => value);
    const inOrder = found.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
    const value = column === year ? inOrder.at(-1) : inOrder[0];
    if (value !== undefined) return `${column}=${value}`;
  }
  return null;
}

/** In how many parcels each value of a column stands in exactly one row. */
function timesAlone(column: string, parcels: SourceRow[][]): Map<string, number> {
  const times = new Map<string, number>();
  for (const rows of parcels) {
    const values = rows.flatMap(({ properties }) => textOf(properties[column]) ?? []);
    for (const value of new Set(values)) {
      times.set(value, (times.get(value) ?? 0) + Number(values.indexOf(value) === values.lastIndexOf(value)));
    }
  }
  return times;
}

/** A parcel has several sales, and its land several uses. */
const lineFields: ReadonlySet<MappableField> = new Set(['sale_date', 'sale_price', 'use_code', 'use_description']);

/** Rows that differ in another field may be units of a building. */
function differInLinesOnly(rows: SourceRow[], mapping: Mapping, read: FieldReader): boolean {
  const distinct = (isOfLine: boolean) => {
    const own = mappableFields.filter((field) => mapping[field] && lineFields.has(field) === isOfLine);
    const texts = rows.map((row) => {
      read.moveTo(row);
      return JSON.stringify(own.map((field) => read.text(fieldNumber[field])));
    });
    return new Set(texts).size;
  };
  return distinct(true) > 1 && distinct(false) === 1;
}
