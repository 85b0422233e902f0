import type { NameReading } from '../names/read-name.js';
import type { SampledColumn } from '../sampled-column.js';

/** A column, and how its name may be understood. */
export interface ReadColumn extends SampledColumn {
  readings: NameReading[];
}

/** Whose address: the owner's, or the parcel's. */
export type Party = 'mail' | 'situs';

/** Whose address a name says; null if it says nothing. */
export function partyOf({ concepts }: NameReading): Party | null {
  if (['mail', 'owner', 'taxpayer'].some((concept) => concepts.includes(concept))) return 'mail';
  return ['situs', 'location', 'property', 'parcel'].some((concept) => concepts.includes(concept)) ? 'situs' : null;
}
