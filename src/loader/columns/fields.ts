import type { ReadType, RecordFieldEntry } from '../../releases/record-fields/record-field-entry.js';
import { type ColumnField, recordFieldList } from '../../releases/record-fields/record-fields.js';

/** A field that a column of a county's file may be mapped to. */
export type MappableField = ColumnField;

const mappable = recordFieldList.filter(({ called }) => called !== undefined);

/** In the order in which a mapping is shown. */
export const mappableFields = mappable.map(({ name }) => name as MappableField);

interface ColumnFacts extends RecordFieldEntry {
  type: ReadType;
  called: NonNullable<RecordFieldEntry['called']>;
}

export const factsOf = Object.fromEntries(mappable.map((field) => [field.name, field])) as Record<MappableField, ColumnFacts>;

export const fieldsOfType = (...types: ReadType[]): MappableField[] =>
  mappableFields.filter((field) => types.includes(factsOf[field].type));

/** Where a field's value comes from: one column, or several. Amounts of several columns are added up, other values joined by a space. */
export interface FieldSource {
  columns: string[];
  /**
   * How values are read. `square feet` are converted to acres and `Excel's days` to dates; `day first` reads dates as day, month, year.
   * Parcel numbers `with decimals` keep decimal zeros, those `of numbers` lose them. `part of a last line` takes the field's part of an
   * address's last line, from the last column that has one. `part of an address` does so with a whole address, and the
   * address `before a last line` ends there. `padded house numbers`
   * lose their leading zeros.
   */
  unit?:
    | 'square feet'
    | "Excel's days"
    | 'day first'
    | 'with decimals'
    | 'of numbers'
    | 'part of a last line'
    | 'part of an address'
    | 'before a last line'
    | 'padded house numbers';
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
