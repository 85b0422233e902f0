import { Anchor, Skeleton, Title } from '@mantine/core';
import { formatUsd, plural } from '../../format/format.js';
import { Loaded } from '../../graphql/loaded.js';
import { InvoicesDocument, type InvoicesQuery } from '../../graphql/operations.js';
import { useAnswer } from '../../graphql/use-answer.js';
import { useFilters } from '../../hooks/use-filters.js';
import { paths } from '../../paths.js';
import { RowLink } from '../../ui/links.js';
import { Section } from '../../ui/section.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { Timestamp } from '../../ui/timestamp.js';
import { BillLines } from './bill-lines.js';

type Invoice = InvoicesQuery['invoices'][number];

/** The invoices, and the lines of the one in the URL. A query of its own, since the payment processor may be slow to answer. */
export function InvoicesPart() {
  const query = useAnswer(InvoicesDocument, {});
  const chosen = useFilters().get('invoice');
  return (
    <Section title="Invoices">
      <Loaded what="Your invoices" answer={query} placeholder={<Skeleton height={140} />}>
        {({ invoices }) => (
          <>
            <DataTable
              label="Invoices"
              rows={invoices}
              empty="No invoices yet."
              columns={[
                { title: 'Number', cell: ({ number }) => number ?? 'draft' },
                { title: 'Date', cell: ({ createdAt }) => <Timestamp at={createdAt} /> },
                { title: 'Status', cell: ({ status }) => status },
                { title: 'Total', cell: ({ totalUsd }) => formatUsd(totalUsd), isNumber: true },
                { title: 'Paid', cell: ({ paidUsd }) => formatUsd(paidUsd), isNumber: true },
                { title: 'Details', cell: (invoice) => <Documents invoice={invoice} /> },
              ]}
            />
            {invoices
              .filter(({ id }) => id === chosen)
              .map(({ id, number, lines }) => (
                <section key={id} aria-labelledby="invoice-lines-title">
                  <Title order={3} size="h5" id="invoice-lines-title" mt="lg" mb="sm" ref={focusOnceShown} tabIndex={-1}>
                    Lines of {nameOf(number)}
                  </Title>
                  <BillLines label={`Lines of ${nameOf(number)}`} lines={lines} isPast />
                </section>
              ))}
          </>
        )}
      </Loaded>
    </Section>
  );
}

const nameOf = (number: string | null): string => (number ? `invoice ${number}` : 'the draft');

const focusOnceShown = (title: HTMLElement | null) => title?.focus();

function Documents({ invoice: { id, number, pageUrl, pdfUrl, lines } }: { invoice: Invoice }) {
  return (
    <>
      <RowLink href={paths.invoiceLines(id)} mr="md" aria-label={`Lines of ${nameOf(number)}`}>
        {plural(lines.length, 'line')}
      </RowLink>
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
