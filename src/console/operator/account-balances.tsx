import { Button, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { type AccountDetailsQuery, AdjustBalanceDocument } from '../graphql/operations.js';
import { useChange } from '../graphql/use-change.js';
import { DataTable } from '../parts/data-table.js';
import { FormDialog } from '../parts/form-dialog.js';
import { formatCount, formatUsd } from '../parts/format.js';
import { Timestamp } from '../parts/timestamp.js';

type Balance = AccountDetailsQuery['balances'][number];

/** The balances of an account. An adjustment is an entry of the ledger, with its reason. */
export function AccountBalances({ balances, onChanged }: { balances: Balance[]; onChanged: () => void }) {
  const [adjusted, setAdjusted] = useState<Balance>();
  const adjustBalance = useChange(AdjustBalanceDocument);
  return (
    <section aria-labelledby="balances-title">
      <Title order={2} size="h4" id="balances-title" mb="sm">
        Balances
      </Title>
      <DataTable
        label="List of balances"
        rows={balances}
        keyOf={({ id }) => id}
        empty="None: the account never had a token."
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
          { title: 'Ends', cell: ({ endsAt }) => (endsAt ? <Timestamp at={endsAt} /> : 'with the subscription') },
          {
            title: 'Actions',
            isActions: true,
            cell: (balance) => (
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
      {adjusted && (
        <FormDialog
          title="Adjust the balance"
          action="Write the entry"
          onSubmit={async ({ credits = '', reason = '' }) => {
            await adjustBalance({ balanceId: adjusted.id, credits: Number(credits), reason });
            onChanged();
          }}
          onClose={() => setAdjusted(undefined)}
        >
          <Text>
            {formatCount(adjusted.creditsRemaining)} credits are left. The customer sees the entry, with its reason, in their ledger.
          </Text>
          <TextInput
            label="Credits to add"
            description="Below zero to take away"
            name="credits"
            pattern="-?[1-9][0-9]{0,6}"
            title="A whole number, not 0"
            required
            data-autofocus
          />
          <Textarea label="Reason" name="reason" required maxLength={500} autosize minRows={2} />
        </FormDialog>
      )}
    </section>
  );
}
