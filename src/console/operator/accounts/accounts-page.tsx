import { Group, Skeleton } from '@mantine/core';
import { useQuery } from 'urql';
import { refusalOf } from '../../graphql/client.js';
import { Loaded } from '../../graphql/loaded.js';
import { AccountsDocument, type AccountsQuery } from '../../graphql/operations.js';
import { useFilters } from '../../hooks/use-filters.js';
import { Page } from '../../shell/page.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { Pager } from '../../ui/tables/pager.js';
import { SearchField } from '../../ui/tables/search-field.js';
import { Timestamp } from '../../ui/timestamp.js';
import { AccountBadges } from './account-badges.js';
import { accountColumn } from './account-column.js';
import { TrialTakersPart } from './trial-takers-part.js';

const pageSize = 50;

export default function AccountsPage() {
  const { get, page } = useFilters();
  const [query, reload] = useQuery({
    query: AccountsDocument,
    variables: { search: get('search') ?? '', limit: pageSize, offset: (page - 1) * pageSize },
  });
  return (
    <Page title="Accounts">
      <Group mb="sm">
        <SearchField label="Search" placeholder="E-mail address, name or id" error={refusalOf(query.error, 'search')} />
      </Group>
      <Loaded what="The accounts" query={query} onRetry={reload} placeholder={<Skeleton height={620} />}>
        {({ accounts }) => (
          <>
            <DataTable
              label="Accounts"
              rows={accounts.accounts}
              keyOf={({ id }) => id}
              empty="No matching accounts."
              columns={[
                accountColumn<AccountsQuery['accounts']['accounts'][number]>('E-mail address', (account) => account),
                { title: 'Name', cell: ({ name }) => name, isText: true },
                { title: 'State', cell: (account) => <AccountBadges account={account} /> },
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
