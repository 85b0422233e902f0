/** What a column of a county's file may be mapped to, in the order in which a mapping is shown. */
export const mappableFields = [
  'apn',
  'owner_name',
  'owner_name_2',
  'mail_address',
  'mail_city',
  'mail_state',
  'mail_zip',
  'situs_address',
  'situs_city',
  'situs_zip',
  'use_code',
  'use_description',
  'zoning',
  'land_value',
  'improvement_value',
  'total_value',
  'tax_year',
  'tax_amount',
  'sale_price',
  'sale_date',
  'year_built',
  'acres',
  'legal_description',
  'latitude',
  'longitude',
  'geometry',
] as const;

export type MappableField = (typeof mappableFields)[number];

/** Where a field's value comes from: one column, or several joined by a space. */
export interface FieldSource {
  columns: string[];
  /** Square feet are converted to acres; every other value is used as it is. */
  unit?: 'square feet';
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
