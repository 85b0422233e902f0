import { SimpleGrid, Text } from '@mantine/core';
import { hasPassed } from '../../format/clock.js';
import { formatUsd } from '../../format/format.js';
import type { BalanceRowFragment } from '../../graphql/operations.js';
import { paths } from '../../paths.js';
import { TextLink } from '../../ui/links.js';
import { BalanceCard } from '../usage/balances-part.js';

interface BalanceSummariesProps {
  balances: BalanceRowFragment[];
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
          <BalanceCard key={balance.id} balance={balance} isBrief />
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
