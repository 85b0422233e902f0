import type { ReadPosition } from '../formats/source-row.js';

/** Progress of reading all rows. */
export interface Reading extends ReadPosition {
  /** Warnings that only reading the rows can give. */
  warnings: string[];
  /** How the join's keys are written, if the load found it out by itself; as `--join-key` takes it. */
  foundSpelling?: string[];
}

/** The join columns of two files. */
export interface JoinColumns {
  shapeColumn: string;
  rollColumn: string;
  /** The names of all columns of both files. */
  names: string[];
  /** The join columns that exist in the county's files. A key of several columns has no column of its own. */
  keyed: string[];
  /** How the keys are written, as `--join-key` takes it. Empty: it is found out. */
  spelling: string[];
  /** If the roll has its own number beside the key: its columns, and those from which shapes without a row of the roll get theirs. */
  number: { roll: string[]; map: string[] } | null;
}
