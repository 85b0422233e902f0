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

const emptyCost = 0.1;
const blankCost = 0.08;

/** A column that is blank in most rows is a worse source than one that is full, and one that is blank in all the worst. */
export function costOfBlanks({ values, rowCount }: SampledColumn): number {
  return values.length === 0 ? emptyCost : blankCost * (1 - values.length / rowCount);
}
