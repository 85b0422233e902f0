import type { NameReading } from '../names/read-name.js';
import type { SampledColumn } from '../sampled-column.js';

/** A column with the possible readings of its name. */
export interface ReadColumn extends SampledColumn {
  readings: NameReading[];
}

/** Whose address: the owner's (`mail`) or the parcel's (`situs`). */
export type Party = 'mail' | 'situs';

/** The party that a name states; null if it states none. */
export function partyOf({ concepts }: NameReading): Party | null {
  if (['mail', 'owner', 'taxpayer'].some((concept) => concepts.includes(concept))) return 'mail';
  return ['situs', 'location', 'property', 'parcel'].some((concept) => concepts.includes(concept)) ? 'situs' : null;
}
