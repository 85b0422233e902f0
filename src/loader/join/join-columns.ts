import type { ReadPosition } from '../formats/source-row.js';

/** What is known of the reading of all rows while it goes on. */
export interface Reading extends ReadPosition {
  /** Of what was found only in the rows. */
  warnings: string[];
}

/** The columns by which two files are joined. */
export interface JoinColumns {
  shapeColumn: string;
  rollColumn: string;
  /** Of all columns of both files. */
  names: string[];
  /** Those of the two under which rows get their key: what is put together of several columns is none of the county's. */
  keyed: string[];
}
