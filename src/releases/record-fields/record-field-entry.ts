/** How a field's value is read from a column: `field-reader.ts` and `value-evidence.ts` know each of these. */
export type ReadType =
  | 'parcel number'
  | 'text'
  /** A text without the decimals that a column of numbers gave it. */
  | 'code'
  | 'zip'
  /** Whole US dollars. */
  | 'dollars'
  /** US dollars as a decimal string. */
  | 'dollars and cents'
  | 'year'
  | 'day'
  | 'acres'
  /** Whole square feet. */
  | 'square feet'
  /** A whole number above zero. */
  | 'count'
  /** A number above zero that may have halves and quarters. */
  | 'number'
  | 'degrees'
  | 'shape';

/** What a record's field is: everything that has to be said of it, once. */
export interface RecordFieldEntry {
  /** The key. */
  name: string;
  /** `constant`: the same in all records of a load. `derived`: made of other fields. `value type`: what the columns of the values are called. */
  type: ReadType | 'id' | 'constant' | 'derived' | 'value type';
  /** The version of the record that brought it; 1 where it says nothing. A release keeps the text of the version it was written in. */
  since?: number;
  /** Its JSON schema, where the type does not say it. */
  schema?: object;
  /** The public sentence: `/docs` and `openapi.yaml` have it from here. */
  description: string;
  unit?: string;
  example: unknown;
  /**
   * What columns that hold it are called, by the concepts of `loader/columns/names/words.ts` (each must be in the name, in any order; `a|b` is
   * either), and how sure a name that says this and nothing else makes us. Without it, no column is read for the field.
   */
  called?: Record<string, number>;
  /**
   * What another part of a name takes from our sureness. A concept that is not named here makes it another thing: the year of a sale is no
   * sale price, the building's square feet are not the parcel's.
   */
  beside?: Record<string, number>;
}
