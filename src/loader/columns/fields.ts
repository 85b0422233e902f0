import { type RecordField, recordFields } from '../../releases/catalogue/record-fields.js';

// What a load makes of the others, or knows by itself.
const made = [
  'parcel_id',
  'county_fips',
  'state',
  'county_name',
  'apn_normalized',
  'apn_sequence',
  'gis_acres',
  'source',
  'source_date',
  'release_id',
] as const satisfies RecordField[];

export type MappableField = Exclude<RecordField, (typeof made)[number]>;

/** What a column of a county's file may be mapped to, in the order in which a mapping is shown. */
export const mappableFields = recordFields.filter((field): field is MappableField => !(made as readonly string[]).includes(field));

/** Where a field's value comes from: one column, or several joined by a space, of which amounts are added up. */
export interface FieldSource {
  columns: string[];
  /**
   * Square feet are converted to acres, and the days that Excel counts to dates, in dates written in digits the day may come first, and
   * parcel numbers with decimals keep those that are zeros, which those of a column of numbers lose; of an address' last line only the
   * field's part is taken, from the last of the columns that has one; every other value is used as it is.
   */
  unit?: 'square feet' | "Excel's days" | 'day first' | 'with decimals' | 'of numbers' | 'part of a last line';
}

export type Mapping = Partial<Record<MappableField, FieldSource>>;

export function isMappableField(name: string): name is MappableField {
  return (mappableFields as readonly string[]).includes(name);
}

/** A column's name as vocabularies compare it: without the table before it, case and punctuation. */
export function plainName(column: string): string {
  const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');
  return plain(column.slice(column.lastIndexOf('.') + 1)) || plain(column);
}
