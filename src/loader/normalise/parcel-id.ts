import { parse, v5 } from 'uuid';

// Must never change: every parcel's id depends on it.
const namespace = parse('7f1c5a52-3c3b-5d0e-9d0f-6a2f6f0c9b11');

/**
 * The UUID v5 of the county, the parcel number and `apnSequence`, so it is the same in every format, file and year as long as the
 * county keeps the number.
 * @param apnSequence how many rows before this one had the same number; shapes without a number are counted as if they shared one
 */
export function parcelId(countyFips: string, apn: string | null, apnSequence: number): string {
  return v5(`${countyFips}|${apn ?? ''}|${apnSequence}`, namespace);
}
