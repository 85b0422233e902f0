import type { Heard } from './call.js';

/** A record, told from all others: which release, and its number there. */
export type RecordName = string;

/** A try to read, as its caller wrote it down. */
export interface Attempt extends Omit<Heard, 'body' | 'link'> {
  tokenId: string;
  key: string | null;
  query: string;
  server: string;
  error: string | null;
  /** The records that arrived: all of the answer, or those of a cut one. */
  records: RecordName[];
  /** The county of each record of a whole answer. */
  counties: string[];
  entryId: string | null;
  creditsCharged: number | null;
}

interface ParcelAnswer {
  parcels?: { release_id: number; apn: string; county_fips: string }[];
  metering?: { ledger_entry_id: string | null; credits_charged: number };
  error?: string;
}

export function attemptFrom(heard: Heard, about: { tokenId: string; key: string | null; query: string; server: string }): Attempt {
  const { body, link: _link, ...rest } = heard;
  const isWhole = heard.end === 'whole' && heard.status !== null;
  const answer: ParcelAnswer = isWhole ? JSON.parse(body) : {};
  return {
    ...about,
    ...rest,
    error: answer.error ?? null,
    records: isWhole ? (answer.parcels ?? []).map(nameOf) : recordsIn(body),
    counties: (answer.parcels ?? []).map((parcel) => parcel.county_fips),
    entryId: answer.metering?.ledger_entry_id ?? null,
    creditsCharged: answer.metering?.credits_charged ?? null,
  };
}

/** The made-up counties number their parcels APN-1, APN-2, … in the order of their release. */
const nameOf = ({ release_id, apn }: { release_id: number; apn: string }): RecordName => `${release_id}.${apn.slice('APN-'.length)}`;

/** The records of an answer that broke off, which is no JSON: as many as have their number and their release. */
function recordsIn(body: string): RecordName[] {
  const numbers = [...body.matchAll(/"apn"\s?:\s?"APN-(\d+)"/g)].map((match) => match[1]);
  const releases = [...body.matchAll(/"release_id"\s?:\s?(\d+)/g)].map((match) => match[1]);
  return releases.map((release, index) => `${release}.${numbers[index]}`);
}
