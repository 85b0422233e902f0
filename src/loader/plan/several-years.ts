import type { Mapping } from '../columns/fields.js';
import type { SourceRow } from '../formats/source.js';
import { FieldReader, fieldNumber } from '../records/field-reader.js';
import { BeyondReason } from '../values/outliers.js';
import type { JoinPlan } from './join-columns.js';

// A parcel's back taxes are a few rows, those of several years' rolls nearly all.
const enoughNumbers = 3;
const minShare = 0.2;

/** Whether so many parcel numbers come again that it is no accident. */
export const areMany = (several: number, all: number): boolean => several >= enoughNumbers && several >= all * minShare;

/** The mapping that reads a row's parcel number: of a roll from the columns that tie it. */
export const byNumber = (mapping: Mapping, join: JoinPlan | null): Mapping =>
  join ? { ...mapping, apn: { columns: join.rollColumns } } : mapping;

/**
 * Says that a file has rows of several years for each parcel, each of which would be a record.
 * @param rows the sampled ones that have the year, of the roll where there is one
 */
export function severalYearsWarnings(mapping: Mapping, rows: SourceRow[], join: JoinPlan | null): string[] {
  const [column, ...others] = mapping.tax_year?.columns ?? [];
  if (column === undefined || others.length > 0) return [];
  const read = new FieldReader(byNumber(mapping, join), new BeyondReason());
  const yearsOf = new Map<string, Set<number>>();
  const written = new Map<number, string>();
  for (const row of rows) {
    if (row.fault !== null) continue;
    read.turnTo(row);
    const [apn, year] = [read.parcelNumber(), read.year(fieldNumber.tax_year)];
    if (apn === null || year === null) continue;
    yearsOf.set(apn, (yearsOf.get(apn) ?? new Set()).add(year));
    written.set(year, read.text(fieldNumber.tax_year)!);
  }
  const several = [...yearsOf.values()].filter(({ size }) => size > 1).length;
  if (!areMany(several, yearsOf.size)) return [];
  const latest = written.get(Math.max(...written.keys()))!;
  return [
    `${several} of the first ${yearsOf.size} parcel numbers come again with another ${column}, and each year becomes a record of its own: ` +
      (join ? `leave only the rows of ${latest} in the roll.` : `--where "${column}=${latest}" loads the latest alone.`),
  ];
}
