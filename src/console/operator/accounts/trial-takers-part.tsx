import { Text } from '@mantine/core';
import { useQuery } from 'urql';
import { formatCount } from '../../format/format.js';
import { TrialTakersDocument, type TrialTakersQuery } from '../../graphql/operations.js';
import { Section } from '../../ui/section.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { Timestamp } from '../../ui/timestamp.js';
import { accountColumn } from './account-cells.js';

/** Accounts with several recent trials, and network addresses with several trials today. Hidden if there are none. */
export function TrialTakersPart() {
  const [{ data }] = useQuery({ query: TrialTakersDocument });
  const { accounts = [], addresses = [] } = data?.trialTakers ?? {};
  if (accounts.length + addresses.length === 0) return null;
  return (
    <Section title="More than one trial within 30 days">
      <DataTable
        label="More than one trial within 30 days"
        rows={accounts}
        keyOf={({ accountId }) => accountId}
        empty="No account has started more than one trial."
        columns={[
          accountColumn<TrialTakersQuery['trialTakers']['accounts'][number]>('Email address', ({ accountId, email }) => ({
            id: accountId,
            email,
          })),
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
  );
}
