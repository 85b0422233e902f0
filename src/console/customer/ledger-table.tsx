import { Button } from '@mantine/core';
import { useState } from 'react';
import { DataTable } from '../parts/data-table.js';
import { formatCount, formatUsd } from '../parts/format.js';
import { Timestamp } from '../parts/timestamp.js';
import { type Entry, EntryDetails } from './entry-details.js';

/** One row an entry; each can be opened to show the records that it returned. */
export function LedgerTable({ entries }: { entries: Entry[] }) {
  const [openId, setOpenId] = useState<string>();
  const openerOf = ({ id }: Entry) => {
    const isOpen = id === openId;
    const verb = isOpen ? 'Hide' : 'Show';
    return (
      <Button
        variant="subtle"
        size="compact-sm"
        aria-expanded={isOpen}
        aria-label={`${verb} what entry ${id} returned`}
        onClick={() => setOpenId(isOpen ? undefined : id)}
      >
        {verb}
      </Button>
    );
  };
  return (
    <DataTable
      label="Ledger entries"
      rows={entries}
      keyOf={({ id }) => id}
      empty="No entry fits. The first appears with the first token."
      detailsOf={(entry) => entry.id === openId && <EntryDetails entry={entry} />}
      columns={[
        { title: 'Time', cell: ({ at }) => <Timestamp at={at} style="exact" /> },
        { title: 'Kind', cell: ({ kind }) => kind },
        { title: 'Token', cell: ({ tokenName }) => tokenName ?? '–' },
        { title: 'County', cell: ({ countyFips, kind }) => countyFips ?? (kind === 'read' || kind === 'replay' ? 'all' : '–') },
        { title: 'Records', cell: ({ records }) => formatCount(records), isNumber: true },
        { title: 'Credits', cell: ({ credits }) => (credits > 0 ? `+${formatCount(credits)}` : formatCount(credits)), isNumber: true },
        {
          title: 'Overage',
          cell: ({ overageRecords, overageUsd }) =>
            overageRecords === 0 ? '–' : `${formatCount(overageRecords)} (${formatUsd(overageUsd)})`,
          isNumber: true,
        },
        { title: 'Left after', cell: ({ balanceAfter }) => formatCount(balanceAfter), isNumber: true },
        { title: 'Details', cell: openerOf, isActions: true },
      ]}
    />
  );
}
