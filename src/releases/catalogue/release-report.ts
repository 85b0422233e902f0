import type { RecordField } from './record-fields.js';

/** What a load found out of its release, kept with it. */
export interface ReleaseReport {
  /** How many records have a value in each field. */
  filled: Record<RecordField, number>;
  /** How many values of a field nobody can mean: below zero, in the future, acres ten times those of the shape. */
  beyondReason: Partial<Record<RecordField, number>>;
  /** Of the cells of a grid over the county's land, how many there are, and in how many records lie. */
  spread: { cells: number; filled: number };
  /** The release that was current when it was loaded. */
  replaces: number | null;
  /** How it differs from that one; null: there was none, or invented records. */
  comparison: ReleaseComparison | null;
  /** What speaks against publishing it. */
  findings: Finding[];
  /** The names of the findings that the operator accepted. */
  accepted: string[];
}

/** Something about a release that a person must have seen before it is published. */
export interface Finding {
  /** As it is accepted: `loss`, or with what it is about: `empty:land_value`. */
  name: string;
  /** A sentence with the numbers. */
  message: string;
}

/** A release held against the one before. The records of both are matched by their ids. */
export interface ReleaseComparison {
  releaseId: number;
  records: number;
  /** Of the release before, as its own report has them; null: not known. */
  filled: ReleaseReport['filled'] | null;
  beyondReason: ReleaseReport['beyondReason'];
  spread: ReleaseReport['spread'] | null;
  added: number;
  gone: number;
  unchanged: number;
  changed: number;
  /** How many of the changed records were looked at more closely: all, or an even part of very many. The next three are of these. */
  examined: number;
  /** In how many each field differs; apart from source, source date and release. */
  changedFields: Partial<Record<RecordField, number>>;
  /** Those whose place is more than 200 metres from the one before, or without a place have another house number. */
  moved: number;
  /** Those in which a value is ten times what it was, or a tenth. */
  jumped: number;
  /** A few of each, as examples. */
  changedRecords: ChangedRecord[];
  goneNumbers: (string | null)[];
  addedNumbers: (string | null)[];
}

export interface ChangedRecord {
  parcelId: string;
  apn: string | null;
  fields: { field: string; before: string | null; after: string | null }[];
}
