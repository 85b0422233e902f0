import { formatUsd } from '../../format/format.js';
import type { AccountDetailsQuery } from '../../graphql/operations.js';
import { Section } from '../../ui/section.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { Timestamp } from '../../ui/timestamp.js';

/** The refunded or disputed payments of an account. Neither stops its tokens: that is decided at Stripe. */
export function AccountCharges({ charges }: { charges: AccountDetailsQuery['accountCharges'] }) {
  return (
    <Section title="Refunds and disputes">
      <DataTable
        label="List of refunds and disputes"
        rows={charges}
        keyOf={({ id }) => id}
        empty="None."
        columns={[
          { title: 'Stripe payment', cell: ({ id }) => id, isText: true },
          { title: 'Paid', cell: ({ createdAt }) => <Timestamp at={createdAt} /> },
          { title: 'Amount', cell: ({ amountUsd }) => formatUsd(amountUsd), isNumber: true },
          { title: 'Refunded', cell: ({ refundedUsd }) => formatUsd(refundedUsd), isNumber: true },
          { title: 'Disputed', cell: ({ isDisputed }) => (isDisputed ? 'by the bank' : 'no') },
        ]}
      />
    </Section>
  );
}
