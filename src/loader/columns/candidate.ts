import type { FieldSource, MappableField } from './fields.js';
import type { SampledColumn } from './sampled-column.js';

/** A possible source of a field, with the evidence. */
export interface Candidate extends FieldSource {
  field: MappableField;
  /** From 0 to 1. */
  sureness: number;
  /** The reason, as half a sentence. */
  why: string;
}

/** A field stays empty below this sureness. */
export const minSureness = 0.6;
/** The operator is asked from this sureness. */
export const minSurenessToAsk = 0.45;

const emptyCost = 0.1;
/** With many sampled rows. */
const stillEmptyCost = 0.25;
const manyRows = 20;
const blankCost = 0.08;

/** A mostly blank column is a worse source than a full one; a wholly blank column is the worst. */
export function costOfBlanks({ values, rowCount }: SampledColumn): number {
  if (values.length === 0) return rowCount < manyRows ? emptyCost : stillEmptyCost;
  return blankCost * (1 - values.length / rowCount);
}
