import { Alert, Code, List, Text } from '@mantine/core';
import { formatCount, plural } from '../format/format.js';
import { DataTable } from '../ui/tables/data-table.js';
import type { LedgerCheck } from './check-ledger.js';

const shownAtMost = 50;

/** What the receipts say: those without an entry, and charged reads without a receipt. */
export function ReceiptsResult({ receipts }: { receipts: LedgerCheck['receipts'] }) {
  if (!receipts) return null;
  const { given, found, withoutEntry, chargedWithoutReceipt, chargedWithoutReceiptCount: unreceipted } = receipts;
  if (given === 0) {
    return (
      <Alert color="orange" variant="outline" role="note" title="No receipt was recognized">
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
            keyOf={({ id }) => id}
            empty=""
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
