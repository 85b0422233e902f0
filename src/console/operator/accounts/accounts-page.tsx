import { Box, Text } from '@mantine/core';
import { formatCount } from '../../format.js';
import { useAnswer } from '../../graphql/client.js';
import { AccountsDocument, TrialTakersDocument } from '../../graphql/operations.js';
import { AccountLink, Section, Timestamp } from '../../ui/parts.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { FilterSelect, searchFor } from '../../ui/tables/filter-bar.js';
import { listPage } from '../../ui/tables/list.js';
import { AccountBadges, spendOf, usedOf } from './account-cells.js';

const orders = [
  { value: 'spend', label: 'Highest spend' },
  { value: 'usage', label: 'Most records' },
];

export default listPage({
  title: 'Accounts',
  description: '“Used” and “Spend” cover the current period: records read, and dollars before tax.',
  document: AccountsDocument,
  filters: [searchFor('Email address, name or id'), { label: 'Plan', name: 'plan', options: ['paid', 'trial', 'none'] }],
  variables: (get) => ({ search: get('search') ?? '', sort: get('sort') ?? 'newest' }),
  what: 'accounts',
  columns: () => [
    { title: 'Email address', cell: (account) => <AccountLink {...account} />, isOneLine: true },
    { title: 'Name', cell: ({ name }) => name, isText: true },
    { title: 'State', cell: (account) => <AccountBadges account={account} /> },
    { title: 'Plan', cell: ({ use }) => use?.plan ?? 'none' },
    { title: 'Used', cell: ({ use }) => usedOf(use), isNumber: true },
    { title: 'Spend', cell: ({ use }) => spendOf(use), isNumber: true },
    { title: 'Signed up', cell: ({ createdAt }) => <Timestamp at={createdAt} /> },
  ],
  empty: 'No accounts yet.',
  children: <FilterSelect label="Order" name="sort" options={orders} noChoice="Newest first" />,
  Below: TrialTakersPart,
});

/** Accounts with several recent trials, and network addresses with several trials today. Hidden if there are none. */
function TrialTakersPart() {
  const { data } = useAnswer(TrialTakersDocument, {});
  const { accounts = [], addresses = [] } = data?.trialTakers ?? {};
  if (accounts.length + addresses.length === 0) return null;
  return (
    <Box mt="xl">
      <Section title="More than one trial within 30 days">
        <DataTable
          label="Accounts with more than one trial"
          rows={accounts}
          keyOf={({ accountId }) => accountId}
          empty="No account has started more than one trial."
          columns={[
            { title: 'Email address', cell: ({ accountId, email }) => <AccountLink id={accountId} email={email} />, isOneLine: true },
            { title: 'Trials', cell: ({ trials }) => formatCount(trials), isNumber: true },
            { title: 'Credits used', cell: ({ creditsUsed }) => formatCount(creditsUsed), isNumber: true },
            { title: 'Latest', cell: ({ latestAt }) => <Timestamp at={latestAt} /> },
          ]}
        />
        {addresses.length > 0 && (
          <Text size="sm" mt="sm">
            Network addresses with more than one trial today:{' '}
            {addresses.map(({ address, trials }) => `${address} (${formatCount(trials)})`).join(', ')}
          </Text>
        )}
      </Section>
    </Box>
  );
}
