import type { Client } from 'urql';
import { messageOf } from '../../graphql/client.js';
import { EntryRecordsDocument, type RecordState } from '../../graphql/operations.js';
import type { DrawnParcel } from '../../parcel-map/drawn-parcel.js';

/** A record with all of its fields. The page uses these by name. */
export interface ReturnedRecord extends Omit<DrawnParcel, 'key'> {
  parcel_id: string;
  county_fips: string;
  apn: string | null;
  situs_address: string | null;
  owner_name: string | null;
  /** Whether the current release still has it. */
  state: RecordState;
}

// The server's maximum.
const pageSize = 100;

/** The first records that an entry paid for. */
export async function fetchReturnedRecords(client: Client, entryId: string, limit: number): Promise<ReturnedRecord[]> {
  const records: ReturnedRecord[] = [];
  while (records.length < limit) {
    const variables = { id: entryId, limit: Math.min(pageSize, limit - records.length), offset: records.length };
    const { data, error } = await client.query(EntryRecordsDocument, variables).toPromise();
    if (error || !data) throw new Error(error ? messageOf(error) : 'The server did not answer.');
    const { recordsJson, states } = data.entryRecords;
    const page = (JSON.parse(recordsJson) as Omit<ReturnedRecord, 'state'>[]).map((record, i) => ({ ...record, state: states[i]! }));
    if (page.length === 0) break;
    records.push(...page);
  }
  return records;
}
