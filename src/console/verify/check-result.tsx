import { Alert, Button, Code, List, Stack, Text, Title } from '@mantine/core';
import { formatCount, formatUsd, plural } from '../format/format.js';
import { saveFile } from '../ui/save-file.js';
import { DataTable } from '../ui/tables/data-table.js';
import { Timestamp } from '../ui/timestamp.js';
import type { LedgerCheck } from './check-ledger.js';
import { ReceiptsResult } from './receipts-result.js';

type Balance = LedgerCheck['balances'][number];

const signatureNotes: Record<LedgerCheck['signatures'], string> = {
  checked: 'The signatures of the checkpoints match the key.',
  'no key': 'The signatures of the checkpoints were not checked, because no key was given.',
  'no Ed25519': 'The signatures of the checkpoints were not checked: this browser does not support Ed25519 here. Use the program below.',
  'no proof': 'No proof was given, so the ledger was not compared with a checkpoint.',
};

/** The result of a check in plain words. */
export function CheckResult({ result }: { result: LedgerCheck }) {
  const { difference, entries, proved, balances, signatures } = result;
  return (
    <Stack>
      <Alert
        color={difference === null ? 'green' : 'red'}
        variant="outline"
        role="note"
        title={difference === null ? rightTitle(entries) : 'Something is wrong'}
      >
        {difference === null ? (
          <List size="sm" spacing={4}>
            {entries > 0 && (
              <>
                <List.Item>Every hash matches its entry, and every entry continues from the one before.</List.Item>
                <List.Item>Every sum, price, cap and grant follows from the entries. No record was charged twice under one key.</List.Item>
              </>
            )}
            {proved.map((fact) => (
              <List.Item key={fact}>{fact}</List.Item>
            ))}
            <List.Item>{signatureNotes[signatures]}</List.Item>
          </List>
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

function BalanceResult({ balance: { balanceId, entries, remaining, terms, termsFrom, periods } }: { balance: Balance }) {
  return (
    <section aria-label={`Balance ${balanceId}`}>
      <Title order={3} size="h4" mb={4}>
        {terms ? `Balance of the ${terms.plan} plan` : 'Balance'}
      </Title>
      <Text size="sm" mb="xs">
        <Code>{balanceId}</Code>: {plural(entries, 'entry', 'entries')}, {plural(remaining, 'included record')} left.{' '}
        {termsFrom === null && 'Its prices and caps are unknown, so they were not checked. '}
        {termsFrom !== null &&
          termsFrom > 2 &&
          `Its prices and caps are known, and were checked, from entry ${formatCount(termsFrom)} on. `}
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
          { title: 'Overage records', cell: ({ overageRecords }) => formatCount(overageRecords), isNumber: true },
          { title: 'Overage in cents', cell: ({ overageCents }) => formatCount(overageCents), isNumber: true },
          { title: 'In dollars', cell: ({ overageCents }) => formatUsd(dollarsOf(overageCents)), isNumber: true },
        ]}
      />
    </section>
  );
}

const dollarsOf = (cents: number): string =>
  `${cents < 0 ? '-' : ''}${Math.trunc(Math.abs(cents) / 100)}.${String(Math.abs(cents) % 100).padStart(2, '0')}`;
