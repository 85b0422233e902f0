import type { FieldSource, MappableField } from './fields.js';

/** How much a name says: 0 certain, 1 likely (both are taken), 2 possible (the operator is asked). */
export type Tier = 0 | 1 | 2;
export const possible: Tier = 2;

export const certaintyOf = ['certain', 'likely', 'possible'] as const;
export type Certainty = (typeof certaintyOf)[number];

/** A possible source of a field. */
export interface Candidate extends FieldSource {
  field: MappableField;
  tier: Tier;
  /** The order within a tier, compared number by number; less is better. */
  rank: number[];
  /** The reason, as half a sentence. */
  why: string;
}

export function compareRanks(one: number[], other: number[]): number {
  for (let i = 0; i < Math.max(one.length, other.length); i++) {
    const difference = (one[i] ?? 0) - (other[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The same candidate, as a question. */
export const asked = (candidate: Candidate): Candidate => ({ ...candidate, tier: possible });
