import { Text } from '@mantine/core';
import { formatCount, formatUsd } from '../../format/format.js';
import type { AccountUseFragment } from '../../graphql/operations.js';

type Use = AccountUseFragment | null;

/** What an account has used of what its plan includes; overage makes it more. */
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
