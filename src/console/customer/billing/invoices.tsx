import { Anchor } from '@mantine/core';
import { formatUsd } from '../../format.js';
import type { InvoiceRowFragment } from '../../graphql/operations.js';
import { Timestamp } from '../../ui/parts.js';
import type { Column } from '../../ui/tables/data-table.js';

/** For customers and operators. */
export const invoiceColumns: Column<InvoiceRowFragment>[] = [
  { title: 'Number', cell: ({ number }) => number ?? 'draft' },
  { title: 'Date', cell: ({ createdAt }) => <Timestamp at={createdAt} /> },
  { title: 'Status', cell: ({ status }) => status },
  { title: 'Total', cell: ({ totalUsd }) => formatUsd(totalUsd), isNumber: true },
  { title: 'Paid', cell: ({ paidUsd }) => formatUsd(paidUsd), isNumber: true },
];

export function InvoiceLinks({ invoice: { number, pageUrl, pdfUrl } }: { invoice: InvoiceRowFragment }) {
  return (
    <>
      {pageUrl && (
        <Anchor href={pageUrl} rel="noreferrer" size="sm" mr="md" aria-label={`Open invoice ${number}`}>
          Open
        </Anchor>
      )}
      {pdfUrl && (
        <Anchor href={pdfUrl} rel="noreferrer" size="sm" aria-label={`PDF of invoice ${number}`}>
          PDF
        </Anchor>
      )}
    </>
  );
}
