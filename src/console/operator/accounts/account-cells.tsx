import { Group, Text } from '@mantine/core';
import { formatCount, formatUsd } from '../../format.js';
import type { AccountRowFragment, AccountUseFragment } from '../../graphql/operations.js';
import { StateBadge } from '../../ui/parts.js';

export function AccountBadges({ account }: { account: AccountRowFragment }) {
  if (account.deletedAt) return <StateBadge state="deleted" />;
  return (
    <Group gap={6} wrap="nowrap">
      {account.banned && <StateBadge state="banned" />}
      {account.trialLimitLifted && <StateBadge state="trials unlimited" />}
      {account.role === 'admin' && <StateBadge state="operator" />}
      {!account.emailVerified && <StateBadge state="not verified" />}
    </Group>
  );
}

type Use = AccountUseFragment | null;

/** How many of the included records were used; with overage more than all. */
export const usedOf = (use: Use): string => (use ? `${formatCount(use.usedRecords)} of ${formatCount(use.includedRecords)}` : '–');

export const spendOf = (use: Use): string => (use?.spendUsd ? formatUsd(use.spendUsd) : '–');

/** The same for the account's page, in words. */
export function AccountUse({ use }: { use: Use }) {
  if (!use) return <Text>No plan. This account cannot read records.</Text>;
  return (
    <Text>
      Plan {use.plan}: {formatCount(use.usedRecords)} records used of {formatCount(use.includedRecords)} included in this period,{' '}
      {use.spendUsd ? `${formatUsd(use.spendUsd)} so far before taxes` : 'not billed'}.
    </Text>
  );
}
