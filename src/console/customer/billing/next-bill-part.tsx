import { Anchor, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { formatUsd, plural } from '../../format/format.js';
import type { BillingQuery } from '../../graphql/operations.js';
import { paths } from '../../paths.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { Timestamp } from '../../ui/timestamp.js';

type NextBill = NonNullable<NonNullable<BillingQuery['subscription']>['nextBill']>;

interface Line {
  what: ReactNode;
  key: string;
  amountUsd: string;
  entries: ReactNode;
}

/** The next bill line by line. Each line of overage leads to the reads behind it. */
export function NextBillPart({ bill }: { bill: NextBill }) {
  const plan: Line[] =
    bill.planUsd === '0.00' ? [] : [{ key: 'plan', what: 'API Records, next period', amountUsd: bill.planUsd, entries: 'paid in advance' }];
  const overage = bill.overage.map(({ periodStart, periodEnd, records, unitUsd, amountUsd }): Line => {
    const period = (
      <>
        <Timestamp at={periodStart} /> to <Timestamp at={periodEnd} />
      </>
    );
    return {
      key: periodStart,
      what: (
        <>
          Overage: {plural(records, 'record')} at {formatUsd(unitUsd)}, {period}
        </>
      ),
      amountUsd,
      entries: (
        <Anchor component={Link} href={paths.readsOf({ from: periodStart, to: periodEnd })} size="sm" underline="always">
          Reads of this period
        </Anchor>
      ),
    };
  });
  return (
    <section aria-labelledby="next-bill-title">
      <Title order={2} size="h4" id="next-bill-title" mb={4}>
        Next bill
      </Title>
      <Text size="sm" mb="sm">
        <Timestamp at={bill.at} />: {formatUsd(bill.totalUsd)} in total before taxes, as far as it is known now.
      </Text>
      <DataTable
        label="Lines of the next bill"
        rows={[...plan, ...overage]}
        keyOf={({ key }) => key}
        empty="No lines."
        columns={[
          { title: 'Line', cell: ({ what }) => what, isText: true },
          { title: 'Amount', cell: ({ amountUsd }) => formatUsd(amountUsd), isNumber: true },
          { title: 'Entries', cell: ({ entries }) => entries, isText: true },
        ]}
      />
    </section>
  );
}
