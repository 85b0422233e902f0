import type { Client } from 'urql';
import { messageOf } from '../graphql/client.js';
import { LedgerCsvDocument, type LedgerCsvQueryVariables } from '../graphql/operations.js';

/**
 * Fetches all entries that fit and hands them to the person as a file. It walks from the newest entry of now to ever older ones, so
 * each is in the file once, however many are written meanwhile.
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
    const variables: LedgerCsvQueryVariables = { ...filter, before };
    const { data, error } = await client.query(LedgerCsvDocument, variables, { requestPolicy: 'network-only' }).toPromise();
    if (error || !data) throw new Error(error ? messageOf(error) : 'The server answered nothing.');
    const { text, rows, older } = data.ledgerCsv;
    texts.push(text);
    fetched += rows;
    before = older;
    onProgress(fetched);
  } while (before);
  saveFile('ledger.csv', texts);
}

function saveFile(name: string, texts: string[]): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(texts, { type: 'text/csv' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
