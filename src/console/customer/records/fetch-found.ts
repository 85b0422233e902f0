import type { Client } from 'urql';
import { queryPatiently } from '../../graphql/client.js';
import { BoughtRecordsDocument, type BoughtRecordsQuery, type BoughtRecordsQueryVariables } from '../../graphql/operations.js';

/** A record that the account read. */
export interface FoundRecord {
  parcel_id: string;
  release_id: number;
  county_fips: string;
  county_name: string;
  state: string;
  apn: string | null;
  situs_address: string | null;
  situs_city: string | null;
  owner_name: string | null;
  source_date: string | null;
  /** The latest read that returned it. */
  entryId: string;
  readAt: string;
}

export type FoundPage = Omit<BoughtRecordsQuery['boughtRecords'], 'recordsJson' | 'reads'> & { records: FoundRecord[] };

// The server searches 20,000 records a request.
const maxRequests = 5;

/** A page of the records that match. Searches on while none are found, up to 100,000 records: `next` says where it stopped. */
export async function fetchFound(client: Client, variables: BoughtRecordsQueryVariables, signal: AbortSignal): Promise<FoundPage> {
  const records: FoundRecord[] = [];
  let searched = 0;
  let after = variables.after ?? null;
  for (let requests = 1; ; requests++) {
    const limit = variables.limit - records.length;
    const { boughtRecords: page }: BoughtRecordsQuery = await queryPatiently(client, BoughtRecordsDocument, { ...variables, after, limit });
    signal.throwIfAborted();
    const found = JSON.parse(page.recordsJson) as Omit<FoundRecord, 'entryId' | 'readAt'>[];
    records.push(...found.map((record, i) => ({ ...record, entryId: page.reads[i]!.entryId, readAt: page.reads[i]!.at })));
    searched += page.searched;
    after = page.next;
    if (after === null || records.length === variables.limit || requests === maxRequests) return { ...page, records, searched };
  }
}
