import type { Client } from 'urql';
import { queryPatiently } from '../graphql/client.js';
import { LedgerFileDocument, type LedgerFileQuery } from '../graphql/operations.js';

interface LedgerFileOptions {
  /** Operators may have the ledger of any account. */
  everybody: boolean;
  /** The sequence after which to begin. */
  after?: number;
  /** The number of entries, if not all. */
  limit?: number;
  onProgress?: (entries: number) => void;
}

/** The entries of a balance as lines of a ledger file, oldest first, in pages. */
export async function fetchLedgerFile(
  client: Client,
  balanceId: string,
  { everybody, after = 0, limit, onProgress }: LedgerFileOptions,
): Promise<string[]> {
  const pages: string[] = [];
  let fetched = 0;
  for (let next: number | null = after; next !== null; ) {
    const { ledgerExport }: LedgerFileQuery = await queryPatiently(client, LedgerFileDocument, {
      balanceId,
      after: next,
      everybody,
      ...(limit && { limit }),
    });
    if (!ledgerExport) throw new Error('This account does not have this balance.');
    pages.push(ledgerExport.text);
    fetched += ledgerExport.rows;
    next = limit ? null : ledgerExport.next;
    onProgress?.(fetched);
  }
  return pages;
}
