import { parse, v5 } from 'uuid';

// Fixed for ever: every parcel's id depends on it.
const namespace = parse('7f1c5a52-3c3b-5d0e-9d0f-6a2f6f0c9b11');

/**
 * Stable over formats, files and years as long as the county keeps the number: uuid v5 of county, number and its how-manieth
 * occurrence. Shapes without a number count among themselves in the order of the file.
 */
export function parcelId(countyFips: string, apn: string | null, apnSequence: number): string {
  return v5(`${countyFips}|${apn ?? ''}|${apnSequence}`, namespace);
}
