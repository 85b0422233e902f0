import { Anchor, Group, Skeleton } from '@mantine/core';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { Loaded } from '../graphql/loaded.js';
import { AllLedgerDocument } from '../graphql/operations.js';
import { DataTable } from '../parts/data-table.js';
import { entryKinds, FilterSelect } from '../parts/filter-select.js';
import { formatCount, formatUsd } from '../parts/format.js';
import { Id } from '../parts/id.js';
import { Page } from '../parts/page.js';
import { Pager } from '../parts/pager.js';
import { SearchField } from '../parts/search-field.js';
import { Timestamp } from '../parts/timestamp.js';
import { useFilters } from '../parts/use-filters.js';
import { paths } from '../paths.js';

const pageSize = 50;

/** The ledger entries of all accounts. An adjustment is made on the page of the account, as an entry of its own. */
export default function LedgerPage() {
  const { get, page } = useFilters();
  const [query, reload] = useQuery({
    query: AllLedgerDocument,
    variables: {
      search: get('search'),
      accountId: get('account'),
      everybody: get('account') === null,
      kind: get('kind'),
      limit: pageSize,
      offset: (page - 1) * pageSize,
    },
  });
  return (
    <Page title="Ledger">
      <Group align="flex-end" mb="md">
        <SearchField label="Search" placeholder="Entry, request, e-mail address" />
        <FilterSelect label="Kind" name="kind" options={entryKinds} />
      </Group>
      <Loaded what="The ledger" query={query} onRetry={reload} placeholder={<Skeleton height={900} />}>
        {({ ledger }) => (
          <>
            <DataTable
              label="Entries"
              choiceName="all entries"
              rows={ledger.entries}
              keyOf={({ id }) => id}
              empty="No entry fits."
              columns={[
                { title: 'Time', cell: ({ at }) => <Timestamp at={at} style="exact" /> },
                { title: 'Kind', cell: ({ kind }) => kind },
                { title: 'Records', cell: ({ records }) => formatCount(records), isNumber: true },
                { title: 'Credits', cell: ({ credits }) => formatCount(credits), isNumber: true },
                {
                  title: 'Overage',
                  cell: ({ overageRecords, overageUsd }) =>
                    overageRecords === 0 ? '–' : `${formatCount(overageRecords)} (${formatUsd(overageUsd)})`,
                  isNumber: true,
                },
                { title: 'Left after', cell: ({ balanceAfter }) => formatCount(balanceAfter), isNumber: true },
                {
                  title: 'Account',
                  cell: ({ accountId, accountEmail }) => (
                    <Anchor component={Link} href={paths.adminAccount(accountId)} size="sm">
                      {accountEmail ?? accountId}
                    </Anchor>
                  ),
                  isText: true,
                },
                { title: 'Reason', cell: ({ reason, actor }) => [reason, actor && `by ${actor}`].filter(Boolean).join(', '), isText: true },
                { title: 'County', cell: ({ countyFips }) => countyFips ?? '–' },
                { title: 'Token', cell: ({ tokenName }) => tokenName ?? '–', isText: true, isOptional: true },
                { title: 'Entry', cell: ({ id }) => <Id id={id} what="entry" />, isOptional: true },
              ]}
            />
            <Pager total={ledger.total} pageSize={pageSize} what="entries" />
          </>
        )}
      </Loaded>
    </Page>
  );
}
