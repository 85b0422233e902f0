import { type RecordField, recordFields } from '../../releases/catalogue/record-fields.js';

// Fields that a load derives or knows itself.
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

/** The fields that columns can be mapped to, in display order. */
export const mappableFields = recordFields.filter((field): field is MappableField => !(made as readonly string[]).includes(field));

/** Where a field's value comes from: one column, or several. Amounts of several columns are added up, other values joined by a space. */
export interface FieldSource {
  columns: string[];
  /**
   * How values are read. `square feet` are converted to acres and `Excel's days` to dates; `day first` reads dates as day, month, year.
   * Parcel numbers `with decimals` keep decimal zeros, those `of numbers` lose them. `part of a last line` takes the field's part of an
   * address's last line, from the last column that has one.
   */
  unit?: 'square feet' | "Excel's days" | 'day first' | 'with decimals' | 'of numbers' | 'part of a last line';
}

export type Mapping = Partial<Record<MappableField, FieldSource>>;

export function isMappableField(name: string): name is MappableField {
  return (mappableFields as readonly string[]).includes(name);
}

/** A column's name for comparison: without the table's name, case and punctuation. */
export function plainName(column: string): string {
  const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');
  return plain(column.slice(column.lastIndexOf('.') + 1)) || plain(column);
}
