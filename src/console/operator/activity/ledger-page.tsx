import { Button, Group, Skeleton, Text } from '@mantine/core';
import { useQuery } from 'urql';
import { refusalOf } from '../../graphql/client.js';
import { Loaded } from '../../graphql/loaded.js';
import { AllLedgerDocument, type AllLedgerQuery } from '../../graphql/operations.js';
import { useFilters } from '../../hooks/use-filters.js';
import { entryColumns, entryInTwoLines, idColumns, requestedCounty } from '../../ledger/entry-columns.js';
import { reasonOf } from '../../ledger/entry-in-words.js';
import { LedgerFilters, LedgerPager, useLedgerFilter } from '../../ledger/ledger-filters.js';
import { paths } from '../../paths.js';
import { Page } from '../../shell/page.js';
import { TextLink } from '../../ui/links.js';
import { type Column, DataTable } from '../../ui/tables/data-table.js';
import { EmptyList } from '../../ui/tables/filter-bar.js';
import { entryKinds } from '../../ui/tables/filter-select.js';
import { SearchField } from '../../ui/tables/search-field.js';
import { accountColumn } from '../accounts/account-cells.js';

type Entry = AllLedgerQuery['ledger']['entries'][number];

const limit = 50;

// As `LedgerFilters` shows them, for an empty list.
const filters = [
  { label: 'Text', name: 'search' },
  { label: 'Token', name: 'token' },
  { label: 'Account', name: 'account' },
  { label: 'Kind', name: 'kind', options: entryKinds },
  { label: 'County', name: 'county' },
  { label: 'From date', name: 'from' },
  { label: 'To date', name: 'to' },
];

const ownerColumn = accountColumn<Entry>('Account', ({ accountId, accountEmail }) => ({ id: accountId, email: accountEmail }));

const reasonAndActor = (entry: Entry): string =>
  [reasonOf(entry), entry.actor && `by ${entry.actorEmail ?? entry.actor}`].filter(Boolean).join(', ');

const reasonColumn: Column<Entry> = { title: 'Reason', cell: reasonAndActor, isText: true };

/** The ledger entries of all accounts. Adjustments are made on the page of an account. */
export default function LedgerPage() {
  const { get, setFilter } = useFilters();
  const filter = useLedgerFilter();
  const accountId = get('account');
  const [query, reload] = useQuery({
    query: AllLedgerDocument,
    variables: { ...filter, accountId, everybody: accountId === null, limit },
    pause: filter === null,
  });
  return (
    <Page title="Ledger">
      <LedgerFilters placeholder="Entry, request, email address" isIncomplete={filter === null} error={query.error}>
        <SearchField label="Token" name="token" placeholder="Token id" width={130} error={refusalOf(query.error, 'token_id')} />
      </LedgerFilters>
      {accountId && (
        <Group mb="sm" gap="sm">
          <Text>
            Only <TextLink href={paths.adminAccount(accountId)}>one account</TextLink>
          </Text>
          <Button variant="default" size="compact-sm" onClick={() => setFilter('account', null)}>
            Show all
          </Button>
        </Group>
      )}
      {filter && (
        <Loaded what="The ledger" query={query} onRetry={reload} placeholder={<Skeleton height={900} />}>
          {({ ledger: { entries, total, older } }) => (
            <>
              <DataTable
                label="Entries"
                choiceName="all entries"
                twoLines={(entry) => entryInTwoLines(entry, entry.accountEmail)}
                rows={entries}
                keyOf={({ id }) => id}
                empty={
                  older ? (
                    'No match so far. Search older entries.'
                  ) : (
                    <EmptyList what="entries" filters={filters}>
                      No entries yet.
                    </EmptyList>
                  )
                }
                columns={[
                  ...entryColumns(paths.adminLedgerEntry),
                  ownerColumn,
                  // Few entries have a reason.
                  ...(entries.some(reasonAndActor) ? [reasonColumn] : []),
                  { title: 'County', cell: requestedCounty },
                  { title: 'Token', cell: ({ tokenName }) => tokenName ?? '–', isText: true, isOptional: true },
                  ...idColumns,
                ]}
              />
              <LedgerPager total={total} older={older} isFull={entries.length === limit} />
            </>
          )}
        </Loaded>
      )}
    </Page>
  );
}
