import { Box, Text } from '@mantine/core';
import { formatCount } from '../../format/format.js';
import { TrialTakersDocument } from '../../graphql/operations.js';
import { useAnswer } from '../../graphql/use-answer.js';
import { AccountLink } from '../../ui/links.js';
import { Section } from '../../ui/section.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { Timestamp } from '../../ui/timestamp.js';

/** Accounts with several recent trials, and network addresses with several trials today. Hidden if there are none. */
export function TrialTakersPart() {
  const { data } = useAnswer(TrialTakersDocument, {});
  const { accounts = [], addresses = [] } = data?.trialTakers ?? {};
  if (accounts.length + addresses.length === 0) return null;
  return (
    <Box mt="xl">
      <Section title="More than one trial within 30 days">
        <DataTable
          label="More than one trial within 30 days"
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
