import { Anchor, Group, Skeleton } from '@mantine/core';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { refusalOf } from '../graphql/client.js';
import { Loaded } from '../graphql/loaded.js';
import { AccountsDocument } from '../graphql/operations.js';
import { DataTable } from '../parts/data-table.js';
import { Page } from '../parts/page.js';
import { Pager } from '../parts/pager.js';
import { SearchField } from '../parts/search-field.js';
import { Timestamp } from '../parts/timestamp.js';
import { useFilters } from '../parts/use-filters.js';
import { paths } from '../paths.js';
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
              empty="No account fits."
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
