import { type MappableField, type Mapping, mappableFields } from '../columns/fields.js';
import type { SourceRow } from '../formats/source-row.js';
import { FieldReader, fieldNumber } from '../records/field-reader.js';
import { OutlierCounter } from '../values/outliers.js';
import type { JoinPlan } from './plan-join.js';

// Back taxes give a parcel a few more rows. A table of several years repeats nearly every parcel.
const enoughNumbers = 3;
const minShare = 0.2;

const areMany = (several: number, all: number): boolean => several >= enoughNumbers && several >= all * minShare;

/** The mapping that reads a row's parcel number. A roll's number is in the columns of the join key, unless it has its own. */
export const withJoinKey = (mapping: Mapping, join: JoinPlan | null): Mapping =>
  join && join.mapNumber === null ? { ...mapping, apn: { columns: join.rollColumns } } : mapping;

/**
 * Warns when parcels have a row for each of several years: each row would become a record.
 * @param rows the sampled rows of the column with the year: the roll's, if there is one
 */
export function severalYearsWarnings(mapping: Mapping, rows: SourceRow[], join: JoinPlan | null): string[] {
  const [column, ...others] = mapping.tax_year?.columns ?? [];
  if (column === undefined || others.length > 0) return [];
  const read = new FieldReader(withJoinKey(mapping, join), new OutlierCounter());
  const yearsOf = new Map<string, Set<number>>();
  const written = new Map<number, string>();
  for (const row of rows) {
    if (row.fault !== null) continue;
    read.moveTo(row);
    const [apn, year] = [read.parcelNumber(), read.year(fieldNumber.tax_year)];
    if (apn === null || year === null) continue;
    yearsOf.set(apn, (yearsOf.get(apn) ?? new Set()).add(year));
    written.set(year, read.text(fieldNumber.tax_year)!);
  }
  const several = [...yearsOf.values()].filter(({ size }) => size > 1).length;
  if (!areMany(several, yearsOf.size)) return [];
  const latest = written.get(Math.max(...written.keys()))!;
  return [
    `${several} of the first ${yearsOf.size} parcel numbers are repeated with another ${column}, and each year becomes its own record: ` +
      (join ? `leave only the rows of ${latest} in the roll.` : `--where "${column}=${latest}" loads the latest alone.`),
  ];
}

const saleFields: ReadonlySet<MappableField> = new Set(['sale_date', 'sale_price']);

/**
 * Warns when parcels have a row for each sale: each row would become a record. Rows that differ in another mapped field may be units of a
 * building.
 * @param rows the sampled rows: the roll's, if there is one
 */
export function severalSalesWarnings(mapping: Mapping, rows: SourceRow[], join: JoinPlan | null): string[] {
  const column = (mapping.sale_date ?? mapping.sale_price)?.columns[0];
  if (column === undefined) return [];
  const read = new FieldReader(withJoinKey(mapping, join), new OutlierCounter());
  const fields = mappableFields.filter((field) => mapping[field]);
  const [sold, lasting] = [fields.filter((field) => saleFields.has(field)), fields.filter((field) => !saleFields.has(field))];
  const distinct = (some: SourceRow[], of: MappableField[]) =>
    new Set(
      some.map((row) => {
        read.moveTo(row);
        return JSON.stringify(of.map((field) => read.text(fieldNumber[field])));
      }),
    ).size;
  const parcels = new Map<string, SourceRow[]>();
  for (const row of rows) {
    if (row.fault !== null) continue;
    read.moveTo(row);
    const apn = read.parcelNumber();
    if (apn === null) continue;
    const own = parcels.get(apn);
    if (own) own.push(row);
    else parcels.set(apn, [row]);
  }
  const several = [...parcels.values()].filter((own) => own.length > 1 && distinct(own, sold) > 1 && distinct(own, lasting) === 1).length;
  if (!areMany(several, parcels.size)) return [];
  return [
    `${several} of the first ${parcels.size} parcel numbers are repeated with only another ${column}, and each sale becomes its own record: ` +
      `leave only the latest of each parcel in the ${join ? 'roll' : 'file'}.`,
  ];
}
