import type { Client } from 'urql';
import { messageOf } from '../../graphql/client.js';
import { LedgerCsvDocument, type LedgerCsvQuery, type LedgerCsvQueryVariables } from '../../graphql/operations.js';

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
    const { text, rows, older } = await fetchPage(client, { ...filter, before });
    texts.push(text);
    fetched += rows;
    before = older;
    onProgress(fetched);
  } while (before);
  saveFile('ledger.csv', texts);
}

const mostTries = 10;

/** A long ledger is more than one may ask for at once: then it goes on when the server says so. */
async function fetchPage(client: Client, variables: LedgerCsvQueryVariables): Promise<LedgerCsvQuery['ledgerCsv']> {
  for (let tries = 1; ; tries++) {
    const { data, error } = await client.query(LedgerCsvDocument, variables, { requestPolicy: 'network-only' }).toPromise();
    if (data && !error) return data.ledgerCsv;
    const waitSeconds = Number((error?.response as Response | undefined)?.headers.get('Retry-After'));
    if (!(waitSeconds > 0) || tries === mostTries) throw new Error(error ? messageOf(error) : 'The server answered nothing.');
    await new Promise((resolve) => setTimeout(resolve, waitSeconds * 1000));
  }
}

function saveFile(name: string, texts: string[]): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(texts, { type: 'text/csv' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
