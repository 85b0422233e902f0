import { Alert, Button, Group, List, Text } from '@mantine/core';
import { useState } from 'react';
import { useClient } from 'urql';
import { nameInLog } from '../../proofs/verifier/verify-ledger.js';
import { formatCount, plural } from '../format/format.js';
import { queryPatiently } from '../graphql/client.js';
import { type EntryFactsFragment, LedgerProofDocument } from '../graphql/operations.js';
import { useAction } from '../hooks/use-action.js';
import { paths } from '../paths.js';
import { fetchProofs } from '../public-api.js';
import { ActionError } from '../ui/failures.js';
import { TextLink } from '../ui/links.js';
import type { EntryCheck as Check } from '../verify/check-entry.js';
import { verifyEntry } from '../verify/run-verifier.js';
import { fetchLedgerFile } from './fetch-ledger-file.js';

interface EntryCheckProps {
  entry: EntryFactsFragment;
  everybody: boolean;
}

/** Checks an entry in the browser: its hash, the chain from it on, and the newest checkpoint. */
export function EntryCheck({ entry, everybody }: EntryCheckProps) {
  const client = useClient();
  const [fetched, setFetched] = useState(0);
  const [check, setCheck] = useState<Check>();
  const run = useAction(async () => {
    setCheck(undefined);
    setFetched(0);
    // First the proof: all that it names is in the ledger that is fetched afterwards.
    const { ledgerProof } = await queryPatiently(client, LedgerProofDocument, { balanceId: entry.balanceId });
    const vkey = ledgerProof === null ? null : (await fetchProofs(new AbortController().signal)).key;
    const lines = await fetchLedgerFile(client, entry.balanceId, { everybody, after: entry.sequence - 1, onProgress: setFetched });
    const [first] = await fetchLedgerFile(client, entry.balanceId, { everybody, limit: 1 });
    const { id, sequence, kind, records, credits, hash } = entry;
    const shown = { id, sequence, kind, records, credits, hash, balance_id: entry.balanceId, balance_after: entry.balanceAfter };
    setCheck(await verifyEntry({ entry: shown, name: nameInLog(JSON.parse(first!).hash), lines, proof: ledgerProof, vkey }));
  });
  return (
    <>
      <Group mt="sm" gap="sm">
        <Button variant="default" size="compact-md" loading={run.isBusy} onClick={() => void run.run()}>
          Check this entry
        </Button>
        <Text size="sm" c="dimmed" role="status">
          {run.isBusy && fetched > 0 && `${plural(fetched, 'entry', 'entries')} fetched`}
        </Text>
        <TextLink href={paths.proofs} fz="sm">
          What this proves
        </TextLink>
      </Group>
      <ActionError error={run.error} />
      <div aria-live="polite">{check && <Outcome check={check} sequence={entry.sequence} />}</div>
    </>
  );
}

function Outcome({ check: { fault, logged, origin, isSignatureChecked }, sequence }: { check: Check; sequence: number }) {
  if (fault) {
    return (
      <Alert color="red" variant="outline" mt="sm" role="note" title="Something is wrong">
        {fault}
      </Alert>
    );
  }
  const isLogged = logged >= sequence;
  const later = logged - sequence;
  return (
    <Alert
      color={isLogged ? 'green' : 'orange'}
      variant="outline"
      mt="sm"
      role="note"
      title={isLogged ? 'This entry is correct and in a checkpoint' : 'This entry is correct, but not in a checkpoint yet'}
    >
      <Text size="sm">Your browser checked:</Text>
      <List size="sm" spacing={4} mt={4}>
        <List.Item>The hash is the SHA-256 of the entry’s content and the previous hash.</List.Item>
        {isLogged ? (
          <>
            <List.Item>
              {later === 0
                ? `It is the newest entry of this balance in the checkpoint, number ${formatCount(logged)}.`
                : later === 1
                  ? `The entry after it, number ${formatCount(logged)}, continues from it.`
                  : `The ${formatCount(later)} entries after it, up to number ${formatCount(logged)}, continue from it.`}
            </List.Item>
            <List.Item>
              Entry {formatCount(logged)} has the hash that the newest checkpoint of {origin} holds for this balance.
            </List.Item>
            <List.Item>
              {isSignatureChecked
                ? 'The checkpoint is signed with the key that we publish.'
                : 'The signature was not checked because this browser does not support Ed25519 here.'}
            </List.Item>
          </>
        ) : (
          <List.Item>The next checkpoint is signed within the hour. Until then, your receipt is the proof.</List.Item>
        )}
      </List>
    </Alert>
  );
}
