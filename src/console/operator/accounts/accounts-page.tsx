import { Anchor, Group, Skeleton } from '@mantine/core';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { refusalOf } from '../../graphql/client.js';
import { Loaded } from '../../graphql/loaded.js';
import { AccountsDocument } from '../../graphql/operations.js';
import { useFilters } from '../../hooks/use-filters.js';
import { paths } from '../../paths.js';
import { Page } from '../../shell/page.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { Pager } from '../../ui/tables/pager.js';
import { SearchField } from '../../ui/tables/search-field.js';
import { Timestamp } from '../../ui/timestamp.js';
import { AccountBadges } from './account-badges.js';
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
                {
                  title: 'E-mail address',
                  cell: ({ id, email }) => (
                    <Anchor component={Link} href={paths.adminAccount(id)} size="sm">
                      {email}
                    </Anchor>
                  ),
                  isText: true,
                },
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
