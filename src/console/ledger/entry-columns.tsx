import { formatCount, formatUsd, plural } from '../format/format.js';
import type { EntryRowFragment } from '../graphql/operations.js';
import { Id } from '../ui/id.js';
import { TextLink } from '../ui/links.js';
import type { Column, TwoLines } from '../ui/tables/data-table.js';
import { Timestamp } from '../ui/timestamp.js';
import { kindOf, reasonOf } from './entry-in-words.js';

/** The columns of every ledger: the time, which links to the entry, and how the entry changed the balance. */
export const entryColumns = (hrefOf: (id: string) => string): Column<EntryRowFragment>[] => [
  {
    title: 'Time',
    cell: ({ id, at }) => (
      <TextLink href={hrefOf(id)} aria-description={`Entry ${id}`}>
        <Timestamp at={at} style="exact" />
      </TextLink>
    ),
  },
  { title: 'Kind', cell: kindOf },
  { title: 'Records', cell: ({ records }) => formatCount(records), isNumber: true },
  { title: 'Credits', cell: ({ credits }) => signed(credits), isNumber: true },
  { title: 'Overage', cell: overageOf, isNumber: true },
  { title: 'Balance after', cell: ({ balanceAfter }) => formatCount(balanceAfter), isNumber: true },
];

/** An entry on a phone: what it moved, and below who did and what that left or cost. */
export const entryInTwoLines = (entry: EntryRowFragment, who: string | null): TwoLines => ({
  beside: entry.tokenId === null ? `${signed(entry.credits)} credits` : plural(entry.records, 'record'),
  below: [kindOf(entry), who, entry.countyFips, reasonOf(entry)].filter(Boolean).join(' · '),
  belowRight: entry.overageRecords === 0 ? `${formatCount(entry.balanceAfter)} left` : `${formatUsd(entry.overageUsd)} overage`,
});

/** Ids, hidden by default. */
export const idColumns: Column<EntryRowFragment>[] = [
  { title: 'Entry', cell: ({ id }) => <Id id={id} what="entry" />, isOptional: true },
  { title: 'Request', cell: ({ requestId }) => (requestId ? <Id id={requestId} what="request" /> : '–'), isOptional: true },
];

export const requestedCounty = ({ countyFips, kind }: Pick<EntryRowFragment, 'countyFips' | 'kind'>): string =>
  countyFips ?? (kind === 'read' || kind === 'replay' ? 'all' : '–');

export const signed = (credits: number): string => (credits > 0 ? `+${formatCount(credits)}` : formatCount(credits));

export const overageOf = ({ overageRecords, overageUsd }: Pick<EntryRowFragment, 'overageRecords' | 'overageUsd'>): string =>
  overageRecords === 0 ? '–' : `${formatCount(overageRecords)} (${formatUsd(overageUsd)})`;
