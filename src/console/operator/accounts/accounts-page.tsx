import { AccountsDocument } from '../../graphql/operations.js';
import { useFilters } from '../../hooks/use-filters.js';
import { Page } from '../../shell/page.js';
import { AccountLink } from '../../ui/links.js';
import { searchFor } from '../../ui/tables/filter-bar.js';
import { FilterSelect } from '../../ui/tables/filter-select.js';
import { List, useList } from '../../ui/tables/list.js';
import { Timestamp } from '../../ui/timestamp.js';
import { AccountBadges, spendOf, usedOf } from './account-cells.js';
import { TrialTakersPart } from './trial-takers-part.js';

const filters = [searchFor('Email address, name or id'), { label: 'Plan', name: 'plan', options: ['paid', 'trial', 'none'] }];
const orders = [
  { value: 'spend', label: 'Highest spend' },
  { value: 'usage', label: 'Most records' },
];

export default function AccountsPage() {
  const { get } = useFilters();
  const list = useList(AccountsDocument, { filters, variables: { search: get('search') ?? '', sort: get('sort') ?? 'newest' } });
  return (
    <Page title="Accounts" description="“Used” and “Spend” cover the current period: records read, and dollars before tax.">
      <List
        list={list}
        what="accounts"
        read={({ accounts: { accounts: rows, total } }) => ({ rows, total })}
        columns={() => [
          { title: 'Email address', cell: (account) => <AccountLink {...account} />, isOneLine: true },
          { title: 'Name', cell: ({ name }) => name, isText: true },
          { title: 'State', cell: (account) => <AccountBadges account={account} /> },
          { title: 'Plan', cell: ({ use }) => use?.plan ?? 'none' },
          { title: 'Used', cell: ({ use }) => usedOf(use), isNumber: true },
          { title: 'Spend', cell: ({ use }) => spendOf(use), isNumber: true },
          { title: 'Signed up', cell: ({ createdAt }) => <Timestamp at={createdAt} /> },
        ]}
        empty="No accounts yet."
      >
        <FilterSelect label="Order" name="sort" options={orders} noChoice="Newest first" />
      </List>
      <TrialTakersPart />
    </Page>
  );
}
