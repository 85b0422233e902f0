import type { SourceRow } from '../formats/source.js';
import type { PlaceCounts } from '../location/match-tally.js';
import type { UnseenColumn } from '../plan/column-names.js';
import type { FieldCounts } from '../records/field-tally.js';
import type { Rejection } from '../records/record.js';

/** Finished records of some rows that follow each other, and what was counted of them. */
export interface BuiltBatch {
  read: number;
  loaded: number;
  rejected: RejectedRow[];
  /** Columns of these rows that the plan knows nothing of, each in its first batch. */
  unseen: (UnseenColumn & { source: number })[];
  withoutApn: number;
  withoutGeometry: number;
  fields: FieldCounts;
  places: PlaceCounts;
  /** Of the COPY of records, each with the id of the only one of its number, without its ordinal (see `beginRow`). */
  rows: Uint8Array;
  /** What was published beside the fields of each record; null: it is not kept. */
  attributes: Texts | null;
}

export interface RejectedRow {
  row: Pick<SourceRow, 'number' | 'properties'>;
  rejection: Rejection;
  /** Which of the plan's sources it is from. */
  source: number;
}

/** Texts that stand one after the other. */
export interface Texts {
  bytes: Uint8Array;
  ends: number[];
}
