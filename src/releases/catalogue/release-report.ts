import type { FetchedData, FieldCounts, MappedField, ReleaseComparison, Spread } from './release-comparison.js';

/** A load's findings about its release. */
export interface ReleaseReport {
  /** How many records have a value in each field. A field that a later version of the record added is missing. */
  filled: FieldCounts;
  /** How many values of a field are implausible: below zero, in the future, acres ten times those of the shape. */
  beyondReason: FieldCounts;
  /** Dropped values and those read as none, as sentences with a count and an example. */
  notes: string[];
  /** The terms of the source, as the operator or the catalogue of sources states them. */
  license?: string;
  /** The data fetched for the load from the county's own service. Missing: an operator brought the files. */
  fetched?: FetchedData;
  spread: Spread;
  /** The release that was current when it was loaded. */
  replaces: number | null;
  /** How it differs from that one; null: there was none, or it had invented records. */
  comparison: ReleaseComparison | null;
  /** The certain and likely columns. */
  mapping: MappedField[];
  /** Columns that no field is read from. */
  unused: string[];
  /** Fields that stayed empty, with columns that they might come from, as sentences. */
  questions: string[];
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

/** Something that an operator must accept before the release is published. */
export interface Finding {
  /** As the operator accepts it: `loss`, or with a field, `empty:land_value`. */
  name: string;
  /** A sentence with the numbers. */
  message: string;
}
