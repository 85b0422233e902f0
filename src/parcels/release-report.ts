import type { RecordField } from './record-fields.js';

/** What a load found out of its release, kept with it. */
export interface ReleaseReport {
  /** How many records have a value in each field. */
  filled: Record<RecordField, number>;
}
