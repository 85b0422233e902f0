import type { Client } from 'urql';
import { messageOf } from '../graphql/client.js';
import { LedgerDocument } from '../graphql/operations.js';
import type { Entry } from './entry-details.js';

const pageSize = 500;

/** Fetches all entries that fit and hands them to the person as a file. Times are in UTC. */
export async function downloadLedger(client: Client, filter: { tokenId: string | null; kind: string | null }): Promise<void> {
  const entries: Entry[] = [];
  for (let total = 1; entries.length < total; ) {
    const variables = { ...filter, limit: pageSize, offset: entries.length };
    const { data, error } = await client.query(LedgerDocument, variables, { requestPolicy: 'network-only' }).toPromise();
    if (error) throw new Error(messageOf(error));
    if (!data || data.ledger.entries.length === 0) break;
    entries.push(...data.ledger.entries);
    total = data.ledger.total;
  }
  saveFile('ledger.csv', [columns.map(([name]) => name), ...entries.map((entry) => columns.map(([, value]) => value(entry)))]);
}

const columns: [name: string, value: (entry: Entry) => string | number | null][] = [
  ['id', (entry) => entry.id],
  ['at', (entry) => entry.at],
  ['kind', (entry) => entry.kind],
  ['token', (entry) => entry.tokenName],
  ['token_id', (entry) => entry.tokenId],
  ['county_fips', (entry) => entry.countyFips],
  ['records', (entry) => entry.records],
  ['credits', (entry) => entry.credits],
  ['overage_records', (entry) => entry.overageRecords],
  ['overage_usd', (entry) => entry.overageUsd],
  ['balance_after', (entry) => entry.balanceAfter],
  ['request_id', (entry) => entry.requestId],
  ['reverses', (entry) => entry.reverses],
  ['reason', (entry) => entry.reason],
];

function saveFile(name: string, rows: (string | number | null)[][]): void {
  const text = rows.map((row) => row.map(quote).join(',')).join('\r\n');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([`${text}\r\n`], { type: 'text/csv' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

function quote(value: string | number | null): string {
  if (typeof value === 'number') return String(value);
  // A leading sign or @ would be run as a formula by spreadsheets.
  const text = (value ?? '').replace(/^[=+\-@\t\r]/, "'$&");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
