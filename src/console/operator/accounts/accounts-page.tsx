import { Skeleton } from '@mantine/core';
import { useQuery } from 'urql';
import { refusalOf } from '../../graphql/client.js';
import { Loaded } from '../../graphql/loaded.js';
import { AccountsDocument, type AccountsQuery } from '../../graphql/operations.js';
import { useFilters } from '../../hooks/use-filters.js';
import { Page } from '../../shell/page.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { EmptyList, FilterBar, searchFor } from '../../ui/tables/filter-bar.js';
import { FilterSelect } from '../../ui/tables/filter-select.js';
import { Pager } from '../../ui/tables/pager.js';
import { Timestamp } from '../../ui/timestamp.js';
import { AccountBadges, accountColumn, spendOf, usedOf } from './account-cells.js';
import { TrialTakersPart } from './trial-takers-part.js';

const pageSize = 50;

const filters = [searchFor('Email address, name or id'), { label: 'Plan', name: 'plan', options: ['paid', 'trial', 'none'] }];
const orders = [
  { value: 'spend', label: 'Highest spend' },
  { value: 'usage', label: 'Most records' },
];

export default function AccountsPage() {
  const { get, page } = useFilters();
  const [query, reload] = useQuery({
    query: AccountsDocument,
    variables: {
      search: get('search') ?? '',
      plan: get('plan'),
      sort: get('sort') ?? 'newest',
      limit: pageSize,
      offset: (page - 1) * pageSize,
    },
  });
  return (
    <Page title="Accounts" description="“Used” and “Spend” cover the current period: records read, and dollars before tax.">
      <FilterBar filters={filters} errorOf={(name) => refusalOf(query.error, name)}>
        <FilterSelect label="Order" name="sort" options={orders} noChoice="Newest first" />
      </FilterBar>
      <Loaded what="The accounts" query={query} onRetry={reload} placeholder={<Skeleton height={620} />}>
        {({ accounts }) => (
          <>
            <DataTable
              label="Accounts"
              rows={accounts.accounts}
              keyOf={({ id }) => id}
              empty={
                <EmptyList what="accounts" filters={filters}>
                  No accounts yet.
                </EmptyList>
              }
              columns={[
                accountColumn<AccountsQuery['accounts']['accounts'][number]>('Email address', (account) => account),
                { title: 'Name', cell: ({ name }) => name, isText: true },
                { title: 'State', cell: (account) => <AccountBadges account={account} /> },
                { title: 'Plan', cell: ({ use }) => use?.plan ?? 'none' },
                { title: 'Used', cell: ({ use }) => usedOf(use), isNumber: true },
                { title: 'Spend', cell: ({ use }) => spendOf(use), isNumber: true },
                { title: 'Signed up', cell: ({ createdAt }) => <Timestamp at={createdAt} /> },
              ]}
            />
            <Pager total={accounts.total} pageSize={pageSize} what="accounts" />
          </>
        )}
      </Loaded>
      <TrialTakersPart />
    </Page>
  );
}
