import { Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { plural } from '../format.js';
import { queryPatiently } from '../graphql/client.js';
import { LedgerFileDocument, type LedgerFileQuery, LedgerProofDocument } from '../graphql/operations.js';
import { ActionButton, saveFile } from '../ui/parts.js';

interface BalanceFilesProps {
  balanceId: string;
  /** As in "Ledger file of the trial balance". */
  name: string;
  /** For operators: the balance may be of any account. */
  everybody?: boolean;
}

/** Offers the files to check a balance without us: its ledger and the proof that the log holds it. */
export function BalanceFiles({ balanceId, name, everybody = false }: BalanceFilesProps) {
  const [note, setNote] = useState('');
  const saveLedger = async () => {
    setNote('');
    const pages = await fetchLedgerFile(balanceId, {
      everybody,
      onProgress: (entries) => setNote(`${plural(entries, 'entry', 'entries')} so far`),
    });
    saveFile(`ledger-${balanceId}.ndjson`, 'application/x-ndjson', pages);
    setNote('');
  };
  const saveProof = async () => {
    setNote('');
    const { ledgerProof } = await queryPatiently(LedgerProofDocument, { balanceId });
    if (ledgerProof === null) setNote('Not in a checkpoint yet. The next one is signed within the hour.');
    else saveFile(`${balanceId}.tlog-proof`, 'text/plain', [ledgerProof]);
  };
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <ActionButton aria-label={`Ledger file of the ${name}`} act={saveLedger}>
          Ledger file
        </ActionButton>
        <ActionButton aria-label={`Proof of the ${name}`} act={saveProof}>
          Proof
        </ActionButton>
      </Group>
      <Text size="sm" c="dimmed" role="status">
        {note}
      </Text>
    </Stack>
  );
}

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
  balanceId: string,
  { everybody, after = 0, limit, onProgress }: LedgerFileOptions,
): Promise<string[]> {
  const pages: string[] = [];
  let fetched = 0;
  for (let next: number | null = after; next !== null; ) {
    const { ledgerExport }: LedgerFileQuery = await queryPatiently(LedgerFileDocument, {
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
