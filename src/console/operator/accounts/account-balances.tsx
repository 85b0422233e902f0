import { Button } from '@mantine/core';
import { useState } from 'react';
import { hasPassed } from '../../format/clock.js';
import { formatCount, formatUsd } from '../../format/format.js';
import type { AccountDetailsQuery } from '../../graphql/operations.js';
import { BalanceFiles } from '../../ledger/balance-files.js';
import { Section } from '../../ui/section.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { Timestamp } from '../../ui/timestamp.js';
import { AdjustBalanceDialog } from './adjust-balance-dialog.js';

type Balance = AccountDetailsQuery['balances'][number];

/** The balances of an account. An adjustment is a ledger entry with a reason. */
export function AccountBalances({ balances, onChanged }: { balances: Balance[]; onChanged: () => void }) {
  const [adjusted, setAdjusted] = useState<Balance>();
  return (
    <Section title="Balances">
      <DataTable
        label="List of balances"
        rows={balances}
        keyOf={({ id }) => id}
        empty="No balances. This account has never had a token."
        columns={[
          { title: 'Plan', cell: ({ plan }) => plan },
          {
            title: 'Left',
            cell: ({ creditsRemaining, includedRecords }) => `${formatCount(creditsRemaining)} of ${formatCount(includedRecords)}`,
            isNumber: true,
          },
          {
            title: 'Overage',
            cell: ({ overageRecords, overageUsd }) => `${formatCount(overageRecords)} (${formatUsd(overageUsd)})`,
            isNumber: true,
          },
          { title: 'Period ends', cell: ({ periodEnd }) => <Timestamp at={periodEnd} /> },
          { title: 'Ends', cell: ({ endsAt }) => <Timestamp at={endsAt} none="with its plan" /> },
          {
            title: 'Files',
            cell: ({ id, plan, creditsRemaining }) => (
              <BalanceFiles balanceId={id} name={`${plan} balance of ${formatCount(creditsRemaining)}`} everybody />
            ),
          },
          {
            title: 'Actions',
            isActions: true,
            // Credits added to an ended balance could not be used.
            cell: (balance) =>
              !hasPassed(balance.endsAt) && (
                <Button
                  variant="default"
                  size="compact-sm"
                  aria-label={`Adjust the ${balance.plan} balance of ${formatCount(balance.creditsRemaining)}`}
                  onClick={() => setAdjusted(balance)}
                >
                  Adjust
                </Button>
              ),
          },
        ]}
      />
      {adjusted && <AdjustBalanceDialog balance={adjusted} onAdjusted={onChanged} onClose={() => setAdjusted(undefined)} />}
    </Section>
  );
}
