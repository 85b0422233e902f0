import type { AccountLedgerEntry } from './account-ledger.js';

const columns: [name: string, value: (entry: AccountLedgerEntry) => string | number | null][] = [
  ['id', ({ id }) => id],
  ['at', ({ at }) => at.toISOString()],
  ['kind', ({ kind }) => kind],
  ['token', ({ tokenName }) => tokenName],
  ['token_id', ({ tokenId }) => tokenId],
  ['county_fips', ({ countyFips }) => countyFips],
  ['records', ({ records }) => records],
  ['credits', ({ credits }) => credits],
  ['overage_records', ({ overageRecords }) => overageRecords],
  ['overage_usd', ({ overageUsd }) => overageUsd],
  ['balance_after', ({ balanceAfter }) => balanceAfter],
  ['request_id', ({ requestId }) => requestId],
  ['idempotency_key', ({ idempotencyKey }) => idempotencyKey],
  ['reverses', ({ reverses }) => reverses],
  ['repeats', ({ repeats }) => repeats],
  ['reason', ({ reason }) => reason],
];

export const csvHead = `${columns.map(([name]) => name).join(',')}\r\n`;

/** A line for each entry. */
export const csvOf = (entries: AccountLedgerEntry[]): string =>
  entries.map((entry) => `${columns.map(([, value]) => csvField(value(entry))).join(',')}\r\n`).join('');

/** A value as a field of a line of CSV (RFC 4180). */
export function csvField(value: string | number | null): string {
  if (typeof value === 'number') return String(value);
  // Spreadsheets run a text with a leading sign or @ as a formula. Negative amounts are allowed.
  const text = (value ?? '').replace(/^(?!-?[\d.]+$)[=+\-@\t\r]/, "'$&");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
