import { Button } from '@mantine/core';
import { useState } from 'react';
import { AcknowledgeBillingDifferenceDocument, type LastAuditQuery } from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { paths } from '../../paths.js';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.js';
import { TextLink } from '../../ui/links.js';
import { Section } from '../../ui/section.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { Timestamp } from '../../ui/timestamp.js';

type Difference = LastAuditQuery['billingDifferences'][number];

/** What differed between our books and the payment processor when they were last compared, and what operators said of it. */
export function BillingDifferences({ differences, onAnswered }: { differences: Difference[]; onAnswered: () => void }) {
  const [chosen, setChosen] = useState<Difference | null>(null);
  const acknowledge = useChange(AcknowledgeBillingDifferenceDocument);
  return (
    <Section title="Differences from Stripe">
      <DataTable
        label="List of differences"
        rows={differences}
        keyOf={({ id }) => id}
        empty="No differences. In the last comparison, our books and Stripe agreed."
        columns={[
          { title: 'What', cell: ({ text }) => text, isText: true },
          {
            title: 'Account',
            cell: ({ accountId }) => <TextLink href={paths.adminAccount(accountId)}>{accountId}</TextLink>,
          },
          { title: 'Since', cell: ({ foundAt }) => <Timestamp at={foundAt} /> },
          {
            title: 'Acknowledged',
            cell: (difference) =>
              difference.reason ?? (
                <Button size="compact-sm" variant="default" onClick={() => setChosen(difference)}>
                  Acknowledge
                </Button>
              ),
            isText: true,
          },
        ]}
      />
      {chosen && (
        <ConfirmDialog
          title="Acknowledge this difference?"
          action="Acknowledge"
          asksReason
          onConfirm={(reason) => acknowledge({ id: chosen.id, reason }).finally(onAnswered)}
          onClose={() => setChosen(null)}
        >
          {chosen.text}. It is not reported again unless it changes.
        </ConfirmDialog>
      )}
    </Section>
  );
}
