import type { Client } from 'urql';
import { messageOf } from '../../graphql/client.js';
import { LedgerCsvDocument, type LedgerCsvQuery, type LedgerCsvQueryVariables } from '../../graphql/operations.js';

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
    const { text, rows, older } = await fetchPage(client, { ...filter, before });
    texts.push(text);
    fetched += rows;
    before = older;
    onProgress(fetched);
  } while (before);
  saveFile('ledger.csv', texts);
}

const maxTries = 10;

/** A long ledger can exceed the rate limit. The download then continues after the server's `Retry-After`. */
async function fetchPage(client: Client, variables: LedgerCsvQueryVariables): Promise<LedgerCsvQuery['ledgerCsv']> {
  for (let tries = 1; ; tries++) {
    const { data, error } = await client.query(LedgerCsvDocument, variables, { requestPolicy: 'network-only' }).toPromise();
    if (data && !error) return data.ledgerCsv;
    const waitSeconds = Number((error?.response as Response | undefined)?.headers.get('Retry-After'));
    if (!(waitSeconds > 0) || tries === maxTries) throw new Error(error ? messageOf(error) : 'The server sent no answer.');
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
