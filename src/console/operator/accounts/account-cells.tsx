import { Group } from '@mantine/core';
import type { AccountRowFragment } from '../../graphql/operations.js';
import { StateBadge } from '../../ui/state-badge.js';

export function AccountBadges({ account }: { account: AccountRowFragment }) {
  if (account.deletedAt) return <StateBadge state="deleted" tone="neutral" />;
  return (
    <Group gap={6} wrap="nowrap">
      {account.banned && <StateBadge state="banned" tone="bad" />}
      {account.trialLimitLifted && <StateBadge state="trials unlimited" tone="neutral" />}
      {account.role === 'admin' && <StateBadge state="operator" tone="good" />}
      {!account.emailVerified && <StateBadge state="not verified" tone="warning" />}
    </Group>
  );
}
