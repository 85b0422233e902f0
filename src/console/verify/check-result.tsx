import { Alert, Button, Code, List, Stack, Text, Title } from '@mantine/core';
import { formatCents, formatCount, plural } from '../format.js';
import { Items, saveFile, Timestamp } from '../ui/parts.js';
import { DataTable } from '../ui/tables/data-table.js';
import type { LedgerCheck } from './verifier-worker.js';

type Balance = LedgerCheck['balances'][number];

const signatureNotes: Record<LedgerCheck['signatures'], string> = {
  checked: 'The signatures of the checkpoints match the key.',
  'no key': 'The signatures of the checkpoints were not checked, because no key was given.',
  'no Ed25519': 'The signatures of the checkpoints were not checked: this browser does not support Ed25519 here. Use the program below.',
  'no proof': 'No proof was given, so the ledger was not compared with a checkpoint.',
};

const checkedInEntries = [
  'Every hash matches its entry, and every entry continues from the one before.',
  'Every sum follows from the entries, in the order of their times. No record was charged twice under one key.',
  'Every price, cap and grant of a paid balance is as agreed.',
];

/** The result of a check in plain words. */
export function CheckResult({ result }: { result: LedgerCheck }) {
  const { difference, entries, proved, balances, signatures } = result;
  return (
    <Stack>
      <Alert color={difference === null ? 'green' : 'red'} title={difference === null ? rightTitle(entries) : 'Something is wrong'}>
        {difference === null ? (
          <Items size="sm" spacing={4} of={[...(entries > 0 ? checkedInEntries : []), ...proved, signatureNotes[signatures]]} />
        ) : (
          <>
            <Text size="sm">{difference}</Text>
            {entries > 0 && (
              <Text size="sm" mt="xs">
                The check stopped at this first difference, after {plural(entries, 'line')}. The amounts below are those of these lines.
              </Text>
            )}
          </>
        )}
      </Alert>
      <ReceiptsResult receipts={result.receipts} />
      {balances.map((balance) => (
        <BalanceResult key={balance.balanceId} balance={balance} />
      ))}
      <div>
        <Button variant="default" onClick={() => saveFile('ledger-check.txt', 'text/plain', [result.text, '\n'])}>
          Save this result as text
        </Button>
      </div>
    </Stack>
  );
}

const rightTitle = (entries: number) => (entries > 0 ? `All ${plural(entries, 'entry', 'entries')} are right` : 'Everything is right');

function BalanceResult({ balance: { balanceId, entries, remaining, terms, periods, changes } }: { balance: Balance }) {
  return (
    <section aria-label={`Balance ${balanceId}`}>
      <Title order={3} size="h4" mb={4}>
        {terms ? `Balance of the ${terms.plan} plan` : 'Balance'}
      </Title>
      <Text size="sm" mb="xs">
        <Code>{balanceId}</Code>: {plural(entries, 'entry', 'entries')}, {plural(remaining, 'included record')} left.{' '}
        {terms && !terms.is_metered && 'Its overage is not billed.'}
      </Text>
      <DataTable
        label={`Periods of balance ${balanceId}`}
        rows={periods}
        keyOf={({ start }) => start}
        empty="No periods."
        columns={[
          { title: 'Period from', cell: ({ start }) => <Timestamp at={new Date(start / 1000).toISOString()} /> },
          { title: 'Included records', cell: ({ grantedRecords }) => formatCount(grantedRecords), isNumber: true },
          { title: 'Price in cents', cell: ({ terms: of }) => formatCount(of?.overage_unit_cents ?? 0), isNumber: true },
          { title: 'Cap', cell: ({ terms: of }) => (of?.overage_cap == null ? 'none' : formatCount(of.overage_cap)), isNumber: true },
          { title: 'Overage records', cell: ({ overageRecords }) => formatCount(overageRecords), isNumber: true },
          { title: 'Overage in cents', cell: ({ overageCents }) => formatCount(overageCents), isNumber: true },
          { title: 'In dollars', cell: ({ overageCents }) => formatCents(overageCents), isNumber: true },
        ]}
      />
      {changes.length > 0 && (
        <>
          <Title order={4} size="h5" mt="md">
            What changed it beside reads
          </Title>
          <DataTable
            label={`Changes of balance ${balanceId}`}
            rows={changes}
            keyOf={({ sequence }) => sequence}
            height={changes.length > 12 ? '24rem' : ''}
            columns={[
              { title: 'Number', cell: ({ sequence }) => formatCount(sequence) },
              { title: 'Time', cell: ({ at }) => <Timestamp at={new Date(at / 1000).toISOString()} /> },
              { title: 'Change', cell: ({ text }) => text, isText: true },
            ]}
          />
        </>
      )}
    </section>
  );
}

const shownAtMost = 50;

/** Lists receipts without an entry, and charged reads without a receipt. */
function ReceiptsResult({ receipts }: { receipts: LedgerCheck['receipts'] }) {
  if (!receipts) return null;
  const { given, found, withoutEntry, chargedWithoutReceipt, chargedWithoutReceiptCount: unreceipted } = receipts;
  if (given === 0) {
    return (
      <Alert color="orange" title="No receipt was recognized">
        A receipt is a Ledger-Hash: 64 hexadecimal digits.
      </Alert>
    );
  }
  return (
    <section aria-label="Receipts">
      <Text fw={600}>
        {formatCount(found)} of {formatCount(given)} receipts match an entry.
      </Text>
      {withoutEntry.length > 0 && (
        <>
          <Text size="sm" mt="xs">
            These have none, so the ledger was rewritten, or the file lacks entries or a balance:
          </Text>
          <List size="sm">
            {withoutEntry.slice(0, shownAtMost).map((hash) => (
              <List.Item key={hash}>
                <Code style={{ overflowWrap: 'anywhere' }}>{hash}</Code>
              </List.Item>
            ))}
          </List>
        </>
      )}
      <Text mt="sm" fw={600}>
        {unreceipted === 0 ? 'You have a receipt for every charged read.' : `${plural(unreceipted, 'charged read')} without a receipt`}
      </Text>
      {unreceipted > 0 && (
        <>
          <Text size="sm" mb="xs">
            Either the receipt was not kept, or someone else read with the token.
            {unreceipted > shownAtMost && ` The first ${shownAtMost} are shown. The saved result has more.`}
          </Text>
          <DataTable
            label="Charged reads without a receipt"
            rows={chargedWithoutReceipt.slice(0, shownAtMost)}
            height={chargedWithoutReceipt.length > 12 ? '24rem' : ''}
            columns={[
              { title: 'Number', cell: ({ sequence }) => formatCount(sequence) },
              { title: 'Entry', cell: ({ id }) => <Code>{id}</Code>, isText: true },
              { title: 'Records', cell: ({ records }) => formatCount(records), isNumber: true },
            ]}
          />
        </>
      )}
    </section>
  );
}
