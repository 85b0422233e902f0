import { hash } from 'node:crypto';

/** Letters and digits of a parcel number, in upper case. For searching only: two parcels of a county may share it. */
export const plainParcelNumber = (apn: string): string => apn.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '');

// The words that counties write in either way most often (USPS Publication 28, C1).
const short = new Map(
  (
    'AVENUE=AVE BOULEVARD=BLVD CIRCLE=CIR COURT=CT DRIVE=DR HIGHWAY=HWY LANE=LN PARKWAY=PKWY PLACE=PL ROAD=RD SQUARE=SQ STREET=ST ' +
    'TERRACE=TER TRAIL=TRL APARTMENT=APT NORTH=N EAST=E SOUTH=S WEST=W'
  )
    .split(' ')
    .map((pair) => pair.split('=') as [string, string]),
);

/** The words of an address as they are compared: in upper case, with street types and directions short. */
export function addressWords(address: string): string[] {
  const words = address.toUpperCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => short.get(word) ?? word);
}

/** The keys of a parcel, or of what somebody searches: its number, and the house number with the first word of the street. */
function searchKeys(apn: string | null, address: string | null): number[] {
  const [house, ...others] = addressWords(address ?? '');
  const street = others.find((word) => /\p{L}/u.test(word) && !/^(.|NE|NW|SE|SW)$/u.test(word)) ?? others[0];
  const isAddress = street !== undefined && /^\d/.test(house!);
  const texts = [apn && plainParcelNumber(apn), isAddress && `${house} ${street}`];
  return texts.flatMap((text) => (text ? [hash('sha256', text, 'buffer').readInt32LE()] : []));
}

const buckets = 256;
const bucketOf = (key: number): number => key & (buckets - 1);

/** Finds the parcels of a release: pairs of a key and an ordinal, in buckets of which a search reads one or two. Keys may collide. */
export class SearchIndex {
  private readonly pairs = Array.from({ length: buckets }, (): number[] => []);

  add(ordinal: number, apn: string | null, address: string | null): void {
    for (const key of searchKeys(apn, address)) this.pairs[bucketOf(key)]!.push(key, ordinal);
  }

  toBuckets(): Buffer[] {
    return this.pairs.map((pairs) => Buffer.from(Int32Array.from(pairs).buffer));
  }
}

/** The buckets that a search reads, and which ordinals of their bytes may match. */
export function searchPlan(text: string): { buckets: number[]; ordinalsIn(bucket: Buffer): number[] } {
  const keys = searchKeys(text, text);
  return {
    buckets: keys.map(bucketOf),
    ordinalsIn: (bucket) => {
      const ordinals: number[] = [];
      for (let at = 0; at < bucket.length; at += 8) if (keys.includes(bucket.readInt32LE(at))) ordinals.push(bucket.readInt32LE(at + 4));
      return ordinals;
    },
  };
}
