import type { RecordField } from '../record-fields/record-fields.js';

/** What a load found about its release. */
export interface ReleaseReport {
  /** How many records have a value in each field. A field that a later version of the record added is missing. */
  filled: Partial<Record<RecordField, number>>;
  /** How many values of a field are implausible: below zero, in the future, acres ten times those of the shape. */
  beyondReason: Partial<Record<RecordField, number>>;
  /** What the load dropped or read as none, as sentences with a count and an example. Reports before 2026-11 have none. */
  notes?: string[];
  /** What was fetched for the load from the county's own service. Missing: an operator brought the files. */
  fetched?: FetchedData;
  /** The cells of a grid over the county's land, and how many of them have records. */
  spread: { cells: number; filled: number };
  /** The release that was current when it was loaded. */
  replaces: number | null;
  /** How it differs from that one; null: there was none, or it had invented records. */
  comparison: ReleaseComparison | null;
  /** Fields that stayed empty, with columns that they might come from, as sentences. Reports of older releases lack it. */
  questions?: string[];
  /** The reasons against publishing it. */
  findings: Finding[];
  /** The names of the findings that the operator accepted. */
  accepted: string[];
}

const leastShareOfWhole = 0.5;

/**
 * Whether the records of a county that was loaded as a whole lie in so little of its area that it is sold as partial. The database marks
 * the county by the same limit (`describe_current_release`).
 */
export const coversLittle = ({ spread }: Pick<ReleaseReport, 'spread'>): boolean => spread.filled < spread.cells * leastShareOfWhole;

export interface FetchedData {
  url: string;
  /** When it was fetched, by the database's clock: ISO 8601. */
  at: string;
  /** Null: not counted, as in an archive. */
  records: number | null;
  bytes: number;
  /** Hexadecimal, of the fetched bytes. */
  sha256: string;
  /** The day of the last change at the source, or null. */
  sourceDate: string | null;
  etag: string | null;
}

/** Something that an operator must accept before the release is published. */
export interface Finding {
  /** As the operator accepts it: `loss`, or with a field, `empty:land_value`. */
  name: string;
  /** A sentence with the numbers. */
  message: string;
}

/** A release compared with the previous one. Records are matched by id. */
export interface ReleaseComparison {
  releaseId: number;
  records: number;
  /** The previous release's own counts; null: unknown. */
  filled: ReleaseReport['filled'] | null;
  beyondReason: ReleaseReport['beyondReason'];
  spread: ReleaseReport['spread'] | null;
  added: number;
  gone: number;
  /**
   * How many of those gone are among those added by their parcel number. Counted only if the county goes from a whole one to parts or back:
   * a part's name is in the ids, so none matches. The examples below are then without them.
   */
  sameNumbers?: number;
  unchanged: number;
  changed: number;
  /** How many changed records were examined: all, or an even sample of very many. The next three are about these. */
  examined: number;
  /** In how many each field differs, without source, source date and release. */
  changedFields: Partial<Record<RecordField, number>>;
  /** Records that moved more than 200 metres, or, without a location, have another house number. */
  moved: number;
  /** Records in which a value is ten times or a tenth of what it was. */
  jumped: number;
  /** A few examples of each. */
  changedRecords: ChangedRecord[];
  goneNumbers: (string | null)[];
  addedNumbers: (string | null)[];
}

export interface ChangedRecord {
  parcelId: string;
  apn: string | null;
  fields: { field: string; before: string | null; after: string | null }[];
}
