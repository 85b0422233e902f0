import { Alert, Button, Code, Group, List, Paper, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { nameInLog } from '../../proofs/verifier/verify-ledger.js';
import { formatCount, formatDay, plural } from '../format.js';
import { queryPatiently } from '../graphql/client.js';
import { type EntryFactsFragment, LedgerProofDocument } from '../graphql/operations.js';
import { useAction } from '../hooks/use-action.js';
import { paths } from '../paths.js';
import { fetchProofs } from '../public-api.js';
import { CopyableText } from '../ui/id.js';
import { ActionError, Facts, Items, inUtc, Section, TextLink, Timestamp } from '../ui/parts.js';
import type { EntryCheck as Check } from '../verify/check-entry.js';
import { verifyEntry } from '../verify/run-verifier.js';
import { fetchLedgerFile } from './balance-files.js';
import { kindOf, overageOf, reasonOf, requestedCounty, signed } from './entry-columns.js';

interface EntryFactsProps {
  entry: EntryFactsFragment;
  /** For operators: the entry may be of any account. */
  everybody?: boolean;
  /** Whose entry it is, for operators. */
  account?: ReactNode;
  /** The records themselves, for customers. */
  children?: ReactNode;
}

const meanings: Record<string, string> = {
  grant: 'the included records of a period',
  read: 'records were returned and charged',
  replay: 'the records of an earlier read, returned to a retry free of charge',
  'shown in console': 'the records of an earlier read, shown here free of charge',
  reversal: 'reverses a read that was not delivered',
  expiry: 'what was left when a period ended',
  adjustment: 'a correction by an operator',
  terms: 'what records of this balance cost from now on',
  token: 'a token of this balance was created or revoked',
};

const sayings: Record<string, string> = { terms: 'Terms', token: 'Event' };

/** Everything that the ledger stores about an entry. */
export function EntryFacts({ entry, everybody = false, account, children }: EntryFactsProps) {
  const { id, requestId, idempotencyKey, reverses, reversedBy, repeats, replays, tokenId, tokenName, segments } = entry;
  const [hrefOf, ledgerOf] = everybody ? [paths.adminLedgerEntry, paths.adminLedgerOf] : [paths.ledgerEntry, paths.ledgerOf];
  const reason = reasonOf(entry);
  const linked = (ids: string[]) =>
    ids.map((other) => (
      <TextLink key={other} href={hrefOf(other)} display="block">
        <Code>{other}</Code>
      </TextLink>
    ));
  return (
    <Stack gap="xl">
      <Paper withBorder p="md" maw={760}>
        <Facts
          facts={[
            account !== undefined && ['Account', account],
            ['Entry', <CopyableText key="id" text={id} what="entry ID" />],
            ['Time', <Timestamp key="at" at={entry.at} style="zoned" />],
            ['Time in UTC', inUtc(entry.at)],
            ['Kind', `${kindOf(entry)}: ${meanings[kindOf(entry)]}`],
            ['Records', formatCount(entry.records)],
            ['Credits', signed(entry.credits)],
            ['Overage', overageOf(entry)],
            ['Balance after', formatCount(entry.balanceAfter)],
            ['Period overage after', formatCount(entry.overageAfter)],
            ['Period start', <Timestamp key="period" at={entry.periodStart} style="exact" />],
            tokenId !== null && [
              'Token',
              <TextLink key="token" href={ledgerOf({ token: tokenId })}>
                {tokenName}
              </TextLink>,
            ],
            ['Requested county', requestedCounty(entry)],
            requestId !== null && ['Request', <CopyableText key="request" text={requestId} what="request ID" />],
            idempotencyKey !== null && ['Idempotency key', <CopyableText key="key" text={idempotencyKey} what="idempotency key" />],
            reason !== null && [sayings[entry.kind] ?? 'Reason', reason],
            reverses !== null && ['Reverses', linked([reverses])],
            reversedBy !== null && ['Reversed by', linked([reversedBy])],
            repeats !== null && ['Repeats', linked([repeats])],
            replays.length > 0 && ['Repeated free of charge by', linked(replays)],
          ]}
        />
      </Paper>
      {segments.length > 0 && (
        <Section title={entry.records < 0 ? 'Records reversed' : 'Records returned'}>
          <List>
            {segments.map((segment) => (
              <List.Item key={`${segment.releaseId}-${segment.firstOrdinal}`}>
                {segment.countyName}, {segment.state} ({segment.countyFips}): records {formatCount(segment.firstOrdinal)} to{' '}
                {formatCount(segment.firstOrdinal + segment.count - 1)} of release {segment.releaseId}
                {segment.sourceName && `, ${segment.sourceName}`}
                {segment.sourceDate && `, data as of ${formatDay(segment.sourceDate)}`}
              </List.Item>
            ))}
          </List>
        </Section>
      )}
      {children}
      <Section title="Ledger integrity" maw={760}>
        <Text mb="xs">
          Entries never change. The hash of each entry covers its content and the hash of the entry before, so changing one would break all
          later ones.
          {isReceipt(entry) && ' The API returned this hash in the Ledger-Hash header. It is your receipt.'}
        </Text>
        <Facts
          facts={[
            ['Balance', <CopyableText key="balance" text={entry.balanceId} what="balance ID" />],
            ['Entry number', formatCount(entry.sequence)],
            [isReceipt(entry) ? 'Receipt (hash)' : 'Hash', <CopyableText key="hash" text={entry.hash} what="hash" />],
            ['Previous hash', <CopyableText key="previous" text={entry.previousHash} what="hash" />],
          ]}
        />
        <EntryCheck entry={entry} everybody={everybody} />
      </Section>
    </Stack>
  );
}

const isReceipt = ({ kind }: EntryFactsFragment): boolean => kind === 'read' || kind === 'replay';

/** Checks an entry in the browser: its hash, the chain from it on, and the newest checkpoint. */
function EntryCheck({ entry, everybody }: { entry: EntryFactsFragment; everybody: boolean }) {
  const [fetched, setFetched] = useState(0);
  const [check, setCheck] = useState<Check>();
  const run = useAction(async () => {
    setCheck(undefined);
    setFetched(0);
    // First the proof: all that it names is in the ledger that is fetched afterwards.
    const { ledgerProof } = await queryPatiently(LedgerProofDocument, { balanceId: entry.balanceId });
    const vkey = ledgerProof === null ? null : (await fetchProofs()).key;
    const lines = await fetchLedgerFile(entry.balanceId, { everybody, after: entry.sequence - 1, onProgress: setFetched });
    const [first] = await fetchLedgerFile(entry.balanceId, { everybody, limit: 1 });
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
      <Alert color="red" mt="sm" title="Something is wrong">
        {fault}
      </Alert>
    );
  }
  const isLogged = logged >= sequence;
  const later = logged - sequence;
  const continuation =
    later === 0
      ? `It is the newest entry of this balance in the checkpoint, number ${formatCount(logged)}.`
      : later === 1
        ? `The entry after it, number ${formatCount(logged)}, continues from it.`
        : `The ${formatCount(later)} entries after it, up to number ${formatCount(logged)}, continue from it.`;
  return (
    <Alert
      color={isLogged ? 'green' : 'orange'}
      mt="sm"
      title={isLogged ? 'This entry is correct and in a checkpoint' : 'This entry is correct, but not in a checkpoint yet'}
    >
      <Text size="sm">Your browser checked:</Text>
      <Items
        size="sm"
        spacing={4}
        mt={4}
        of={[
          'The hash is the SHA-256 of the entry’s content and the previous hash.',
          isLogged && continuation,
          isLogged && `Entry ${formatCount(logged)} has the hash that the newest checkpoint of ${origin} holds for this balance.`,
          isLogged &&
            (isSignatureChecked
              ? 'The checkpoint is signed with the key that we publish.'
              : 'The signature was not checked because this browser does not support Ed25519 here.'),
          !isLogged && 'The next checkpoint is signed within the hour. Until then, your receipt is the proof.',
        ]}
      />
    </Alert>
  );
}
