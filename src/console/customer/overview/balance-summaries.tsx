import { Group, Paper, Progress, SimpleGrid, Text, Title } from '@mantine/core';
import { hasPassed } from '../../format/clock.js';
import { formatCount, formatUsd, plural } from '../../format/format.js';
import type { OverviewQuery } from '../../graphql/operations.js';
import { paths } from '../../paths.js';
import { Facts } from '../../ui/facts.js';
import { TextLink } from '../../ui/links.js';
import { Timestamp } from '../../ui/timestamp.js';

type Balance = OverviewQuery['balances'][number];

interface BalanceSummariesProps {
  balances: Balance[];
  /** Of all paid periods, on no invoice yet. */
  openOverageUsd: string | undefined;
}

/** What is left of each plan that has not ended, and the bill so far. If all have ended, the latest. */
export function BalanceSummaries({ balances, openOverageUsd = '0.00' }: BalanceSummariesProps) {
  const current = balances.filter(({ endsAt }) => !hasPassed(endsAt));
  return (
    <section aria-label="Balances">
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {(current.length > 0 ? current : balances.slice(0, 1)).map((balance) => (
          <BalanceSummary key={balance.id} balance={balance} />
        ))}
      </SimpleGrid>
      {openOverageUsd !== '0.00' && (
        <Text mt="sm">
          {formatUsd(openOverageUsd)} of overage is not billed yet. <TextLink href={paths.billing}>See the next bill</TextLink>
        </Text>
      )}
    </section>
  );
}

function BalanceSummary({ balance }: { balance: Balance }) {
  const { plan, creditsRemaining, includedRecords, overageRecords, periodEnd, endsAt, billSoFarUsd, projectedBillUsd } = balance;
  return (
    <Paper withBorder p="lg">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          {plan === 'paid' ? 'API Records' : 'API Sandbox Trial'}
        </Title>
        <TextLink href={paths.usage} fz="sm">
          Details
        </TextLink>
      </Group>
      <Text>
        <Text span fz={28} fw={700}>
          {formatCount(creditsRemaining)}
        </Text>{' '}
        of {formatCount(includedRecords)} included records left
      </Text>
      <Progress value={(100 * creditsRemaining) / Math.max(1, includedRecords)} aria-label="Included records left" my="sm" />
      <Facts
        facts={[
          billSoFarUsd !== null && ['Bill so far', formatUsd(billSoFarUsd)],
          projectedBillUsd !== null && ['Projected bill', `about ${formatUsd(projectedBillUsd)}`],
          plan === 'paid' && ['Overage', plural(overageRecords, 'record')],
          endsAt === null
            ? ['Renews', <Timestamp key="renews" at={periodEnd} />]
            : [hasPassed(endsAt) ? 'Ended' : 'Ends', <Timestamp key="ends" at={endsAt} />],
        ]}
      />
    </Paper>
  );
}
