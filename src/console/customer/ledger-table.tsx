import { Button, Table, Text } from '@mantine/core';
import { Fragment, useState } from 'react';
import type { LedgerQuery } from '../graphql/operations.js';
import { formatCount, formatUsd } from '../parts/format.js';
import { ScrollBox } from '../parts/scroll-box.js';
import { Timestamp } from '../parts/timestamp.js';
import { EntryDetails } from './entry-details.js';

export type Entry = LedgerQuery['ledger']['entries'][number];

/** One line an entry; each opens to what it returned. */
export function LedgerTable({ entries }: { entries: Entry[] }) {
  const [openId, setOpenId] = useState<string>();
  if (entries.length === 0) return <Text py="md">No entry fits. The first appears with the first token.</Text>;
  return (
    <ScrollBox label="Ledger entries">
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Time</Table.Th>
            <Table.Th scope="col">Kind</Table.Th>
            <Table.Th scope="col">Token</Table.Th>
            <Table.Th scope="col">County</Table.Th>
            <Table.Th scope="col" ta="right">
              Records
            </Table.Th>
            <Table.Th scope="col" ta="right">
              Credits
            </Table.Th>
            <Table.Th scope="col" ta="right">
              Overage
            </Table.Th>
            <Table.Th scope="col" ta="right">
              Left after
            </Table.Th>
            <Table.Th scope="col">Details</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {entries.map((entry) => (
            <Fragment key={entry.id}>
              <Table.Tr>
                <Table.Td>
                  <Timestamp at={entry.at} />
                </Table.Td>
                <Table.Td>{entry.kind}</Table.Td>
                <Table.Td>{entry.tokenName ?? '–'}</Table.Td>
                <Table.Td>{entry.countyFips ?? (entry.kind === 'read' ? 'all' : '–')}</Table.Td>
                <Table.Td ta="right">{formatCount(entry.records)}</Table.Td>
                <Table.Td ta="right">{signed(entry.credits)}</Table.Td>
                <Table.Td ta="right">
                  {entry.overageRecords === 0 ? '–' : `${formatCount(entry.overageRecords)} (${formatUsd(entry.overageUsd)})`}
                </Table.Td>
                <Table.Td ta="right">{formatCount(entry.balanceAfter)}</Table.Td>
                <Table.Td>
                  <Button
                    variant="subtle"
                    size="compact-sm"
                    aria-expanded={openId === entry.id}
                    aria-label={`${openId === entry.id ? 'Hide' : 'Show'} what entry ${entry.id} returned`}
                    onClick={() => setOpenId(openId === entry.id ? undefined : entry.id)}
                  >
                    {openId === entry.id ? 'Hide' : 'Show'}
                  </Button>
                </Table.Td>
              </Table.Tr>
              {openId === entry.id && (
                <Table.Tr>
                  <Table.Td colSpan={9}>
                    <EntryDetails entry={entry} />
                  </Table.Td>
                </Table.Tr>
              )}
            </Fragment>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  );
}

const signed = (credits: number): string => (credits > 0 ? `+${formatCount(credits)}` : formatCount(credits));
