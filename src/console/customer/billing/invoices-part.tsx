import { Anchor, Skeleton, Title } from '@mantine/core';
import { useQuery } from 'urql';
import { formatUsd } from '../../format/format.js';
import { Loaded } from '../../graphql/loaded.js';
import { InvoicesDocument, type InvoicesQuery } from '../../graphql/operations.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { Timestamp } from '../../ui/timestamp.js';

/** The invoices. A query of its own, since the payment processor may be slow to answer. */
export function InvoicesPart() {
  const [query, reload] = useQuery({ query: InvoicesDocument });
  return (
    <section aria-labelledby="invoices-title">
      <Title order={2} size="h4" id="invoices-title" mb="sm">
        Invoices
      </Title>
      <Loaded what="Your invoices" query={query} onRetry={reload} placeholder={<Skeleton height={140} />}>
        {({ invoices }) => (
          <DataTable
            label="Invoices"
            rows={invoices}
            keyOf={({ id }) => id}
            empty="No invoices yet."
            columns={[
              { title: 'Number', cell: ({ number }) => number ?? 'draft' },
              { title: 'Date', cell: ({ createdAt }) => <Timestamp at={createdAt} /> },
              { title: 'Status', cell: ({ status }) => status },
              { title: 'Total', cell: ({ totalUsd }) => formatUsd(totalUsd), isNumber: true },
              { title: 'Paid', cell: ({ paidUsd }) => formatUsd(paidUsd), isNumber: true },
              { title: 'Files', cell: (invoice) => <Documents invoice={invoice} /> },
            ]}
          />
        )}
      </Loaded>
    </section>
  );
}

function Documents({ invoice: { number, pageUrl, pdfUrl } }: { invoice: InvoicesQuery['invoices'][number] }) {
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
