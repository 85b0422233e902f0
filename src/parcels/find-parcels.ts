import type { Pool } from 'pg';
import { addressWords, plainParcelNumber, searchPlan } from '../releases/record-fields/search-keys.js';

/** Reads buckets of the index of a county's current release; null without one. */
export type SearchBuckets = (countyFips: string, buckets: number[]) => Promise<{ releaseId: number; pairs: Buffer[] } | null>;

/** The parts of a record that decide whether it matches. */
interface Candidate {
  apn: string | null;
  situs_address: string | null;
  situs_city: string | null;
  situs_zip: string | null;
  geometry: { coordinates: unknown[] } | null;
}

const mostFound = 10;
// Of a tower, all units have the same house number and street.
const mostCandidates = 500;

/** The middle of a shape, in degrees; null without one. */
interface Middle {
  latitude: number | null;
  longitude: number | null;
}

interface Found {
  releaseId: number;
  parcels: (Middle & { ordinal: number; apn: string | null })[];
  hasMore: boolean;
}

/** Finds the parcels of a county's current release by number or address; null for a county without an index. */
export async function findParcels(pool: Pool, bucketsOf: SearchBuckets, countyFips: string, search: string): Promise<Found | null> {
  const { buckets, ordinalsIn } = searchPlan(search);
  const index = await bucketsOf(countyFips, buckets);
  if (!index) return null;
  const { releaseId, pairs } = index;
  const ordinals = [...new Set(pairs.flatMap(ordinalsIn))];
  const { rows } = await pool.query<{ ordinal: number; record: string }>(
    'select ordinal, record from parcel where release_id = $1 and ordinal = any($2) order by ordinal limit $3',
    [releaseId, ordinals, mostCandidates],
  );
  const found = rows
    .map(({ ordinal, record }) => ({ ordinal, ...(JSON.parse(record) as Candidate) }))
    .filter(matcherOf(search))
    .map(({ ordinal, apn, geometry }) => ({ ordinal, apn, ...middleOf(geometry) }));
  return { releaseId, parcels: found.slice(0, mostFound), hasMore: found.length > mostFound || ordinals.length > mostCandidates };
}

/** By whole words: a part of a word would let a caller spell out the address of a record letter by letter. */
function matcherOf(search: string): (candidate: Candidate) => boolean {
  const [number, words] = [plainParcelNumber(search), addressWords(search)];
  return ({ apn, situs_address, situs_city, situs_zip }) => {
    if (apn !== null && plainParcelNumber(apn) === number) return true;
    const known = addressWords([situs_address, situs_city, situs_zip].join(' '));
    return words[0] === known[0] && words.every((word) => known.includes(word));
  };
}

/** The middle of a shape's box, to a meter. */
function middleOf(geometry: Candidate['geometry']): Middle {
  if (geometry === null) return { latitude: null, longitude: null };
  const numbers = geometry.coordinates.flat(Number.POSITIVE_INFINITY) as number[];
  const middle = (axis: 0 | 1): number => {
    let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let at = axis; at < numbers.length; at += 2) [least, most] = [Math.min(least, numbers[at]!), Math.max(most, numbers[at]!)];
    return Math.round(((least + most) / 2) * 1e5) / 1e5;
  };
  return { longitude: middle(0), latitude: middle(1) };
}
