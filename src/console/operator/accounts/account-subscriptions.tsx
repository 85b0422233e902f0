import { formatCount } from '../../format/format.js';
import type { AccountDetailsQuery } from '../../graphql/operations.js';
import { Section } from '../../ui/section.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { Timestamp } from '../../ui/timestamp.js';

/** The subscriptions of an account, with their ids at Stripe. */
export function AccountSubscriptions({ subscriptions }: { subscriptions: AccountDetailsQuery['accountSubscriptions'] }) {
  return (
    <Section title="Subscriptions">
      <DataTable
        label="List of subscriptions"
        rows={subscriptions}
        keyOf={({ id }) => id}
        empty="No subscriptions."
        columns={[
          { title: 'Stripe subscription', cell: ({ id }) => id, isText: true },
          { title: 'Stripe customer', cell: ({ stripeCustomerId }) => stripeCustomerId, isText: true },
          { title: 'Status', cell: ({ status }) => status.replaceAll('_', ' ') },
          { title: 'Period began', cell: ({ periodStart }) => <Timestamp at={periodStart} /> },
          { title: 'Period ends', cell: ({ periodEnd }) => <Timestamp at={periodEnd} /> },
          { title: 'Ends', cell: ({ endsAt }) => <Timestamp at={endsAt} none="renews" /> },
          {
            title: 'Overage cap',
            cell: ({ overageCap }) => (overageCap === null ? 'none' : `${formatCount(overageCap)} a period`),
            isNumber: true,
          },
        ]}
      />
    </Section>
  );
}
