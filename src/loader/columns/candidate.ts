import type { FieldSource, MappableField } from './fields.js';
import type { SampledColumn } from './sampled-column.js';

/** A field, a source that it may come from, and what speaks for that. */
export interface Candidate extends FieldSource {
  field: MappableField;
  /** From 0 to 1. */
  sureness: number;
  /** In half a sentence. */
  why: string;
}

/** Below this sureness a field stays empty. */
export const sureEnough = 0.6;
/** From this sureness on, the operator is asked. */
export const worthAsking = 0.45;

const emptyCost = 0.1;
/** Where many rows were looked at. */
const stillEmptyCost = 0.25;
const manyRows = 20;
const blankCost = 0.08;

/** A column that is blank in most rows is a worse source than one that is full, and one that is blank in all the worst. */
export function costOfBlanks({ values, rowCount }: SampledColumn): number {
  if (values.length === 0) return rowCount < manyRows ? emptyCost : stillEmptyCost;
  return blankCost * (1 - values.length / rowCount);
}
