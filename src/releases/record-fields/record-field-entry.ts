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

/** A field of the record: everything that has to be said of it, once. */
export interface RecordFieldEntry {
  /** The key. */
  name: string;
  /** `constant`: the same in all records of a load. `derived`: made of other fields. `value type`: what the columns of the values are called. */
  type: ReadType | 'id' | 'constant' | 'derived' | 'value type';
  /** The version of the record that brought it; 1 if not given. A release keeps the text of the version that it was written in. */
  since?: number;
  /** Its JSON schema, where the type does not say it. */
  schema?: object;
  /** The public sentence: `/docs` and `openapi.yaml` have it from here. */
  description: string;
  unit?: string;
  example: unknown;
  /**
   * Names of columns that hold it: phrases of the concepts in `loader/columns/names/words.txt`, separated by commas, the preferred
   * first. Each concept must be in the name, in any order; `a|b` means either. `certain` and `likely` names are taken, `possible` ones only
   * asked about. Without it, no column is read for the field.
   */
  called?: { certain: string; likely?: string; possible?: string };
  /** Concepts that change nothing beside a phrase. Any other concept makes the column another thing: the year of a sale is no price. */
  beside?: string;
  /** Concepts that make a name one tier less certain. */
  lowers?: string;
}
