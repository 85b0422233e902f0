import type { Client } from 'urql';
import { messageOf } from '../../graphql/client.js';
import { EntryRecordsDocument } from '../../graphql/operations.js';
import type { DrawnParcel } from './parcel-outlines.js';

/** The fields of a record that are shown. */
export interface ReturnedRecord extends DrawnParcel {
  parcel_id: string;
  county_fips: string;
  apn: string | null;
  situs_address: string | null;
  owner_name: string | null;
}

// As many as the server shows at once.
const pageSize = 100;

/** The first records that an entry paid for. */
export async function fetchReturnedRecords(client: Client, entryId: string, limit: number): Promise<ReturnedRecord[]> {
  const records: ReturnedRecord[] = [];
  while (records.length < limit) {
    const variables = { id: entryId, limit: Math.min(pageSize, limit - records.length), offset: records.length };
    const { data, error } = await client.query(EntryRecordsDocument, variables).toPromise();
    if (error || !data) throw new Error(error ? messageOf(error) : 'The server answered nothing.');
    const page = JSON.parse(data.entryRecords.recordsJson) as ReturnedRecord[];
    if (page.length === 0) break;
    records.push(...page);
  }
  return records;
}
