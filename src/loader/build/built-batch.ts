import type { SourceRow } from '../formats/source-row.js';
import type { MatchCounts } from '../location/match-tally.js';
import type { UnseenColumn } from '../plan/column-names.js';
import type { FieldCounts } from '../records/field-tally.js';
import type { Rejection } from '../records/record.js';

/** Finished records of consecutive rows, and their counts. */
export interface BuiltBatch {
  read: number;
  loaded: number;
  rejected: RejectedRow[];
  /** Columns that are not in the plan, each in its first batch only. */
  unseen: (UnseenColumn & { source: number })[];
  withoutApn: number;
  withoutGeometry: number;
  fields: FieldCounts;
  matches: MatchCounts;
  /** Rows for the COPY (see `beginRow`), without ordinals, with the ids that records have if their parcel number is unique. */
  rows: Uint8Array;
  /** The unmapped columns of each record; null if they are not kept. */
  attributes: Texts | null;
}

export interface RejectedRow {
  row: Pick<SourceRow, 'number' | 'properties'>;
  rejection: Rejection;
  /** The index of its source in the plan. */
  source: number;
}

/** Concatenated texts. */
export interface Texts {
  bytes: Uint8Array;
  ends: number[];
}

/** A `Buffer` over bytes that came from another thread, which arrive as a plain `Uint8Array`. */
export const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);

export const inputBytes = 1024 * 1024;

/** Shared memory for the raw rows of a task. */
export type Slot = SharedArrayBuffer;

/** Writes pieces one after the other. Returns their lengths. */
export function writeInput(slot: Slot, pieces: Buffer[]): number[] {
  const bytes = Buffer.from(slot);
  let at = 0;
  for (const piece of pieces) at += piece.copy(bytes, at);
  return pieces.map(({ length }) => length);
}

export function readInput(slot: Slot, lengths: number[]): Buffer[] {
  let at = 0;
  return lengths.map((length) => {
    at += length;
    return Buffer.from(slot, at - length, length);
  });
}
