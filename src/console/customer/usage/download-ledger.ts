import type { Client } from 'urql';
import { queryPatiently } from '../../graphql/client.js';
import { LedgerCsvDocument, type LedgerCsvQuery, type LedgerCsvQueryVariables } from '../../graphql/operations.js';
import { saveFile } from '../../ui/save-file.js';

/**
 * Fetches all matching entries and saves them as a file. It goes from the newest entry back in time, so each entry is in the file once,
 * even if new ones are written meanwhile.
 */
export async function downloadLedger(
  client: Client,
  filter: Omit<LedgerCsvQueryVariables, 'before'>,
  onProgress: (entries: number) => void,
): Promise<void> {
  const texts: string[] = [];
  let fetched = 0;
  let before: string | null = null;
  do {
    const { ledgerCsv }: LedgerCsvQuery = await queryPatiently(client, LedgerCsvDocument, { ...filter, before });
    texts.push(ledgerCsv.text);
    fetched += ledgerCsv.rows;
    before = ledgerCsv.older;
    onProgress(fetched);
  } while (before);
  saveFile('ledger.csv', 'text/csv', texts);
}
