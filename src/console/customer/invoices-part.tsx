import { Anchor, Skeleton, Table, Text, Title } from '@mantine/core';
import { useQuery } from 'urql';
import { Loaded } from '../graphql/loaded.js';
import { InvoicesDocument } from '../graphql/operations.js';
import { formatUsd } from '../parts/format.js';
import { ScrollBox } from '../parts/scroll-box.js';
import { Timestamp } from '../parts/timestamp.js';

/** The bills, as the payment processor keeps them; asked for apart, since it may be slow. */
export function InvoicesPart() {
  const [query, reload] = useQuery({ query: InvoicesDocument });
  return (
    <section aria-labelledby="invoices-title">
      <Title order={2} size="h4" id="invoices-title" mb="sm">
        Invoices
      </Title>
      <Loaded what="Your invoices" query={query} onRetry={reload} placeholder={<Skeleton height={140} />}>
        {({ invoices }) =>
          invoices.length === 0 ? (
            <Text>No invoice yet.</Text>
          ) : (
            <ScrollBox label="List of invoices">
              <Table>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th scope="col">Number</Table.Th>
                    <Table.Th scope="col">Date</Table.Th>
                    <Table.Th scope="col">State</Table.Th>
                    <Table.Th scope="col" ta="right">
                      Total
                    </Table.Th>
                    <Table.Th scope="col" ta="right">
                      Paid
                    </Table.Th>
                    <Table.Th scope="col">Document</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {invoices.map((invoice) => (
                    <Table.Tr key={invoice.id}>
                      <Table.Th scope="row">{invoice.number ?? 'draft'}</Table.Th>
                      <Table.Td>
                        <Timestamp at={invoice.createdAt} />
                      </Table.Td>
                      <Table.Td>{invoice.status}</Table.Td>
                      <Table.Td ta="right">{formatUsd(invoice.totalUsd)}</Table.Td>
                      <Table.Td ta="right">{formatUsd(invoice.paidUsd)}</Table.Td>
                      <Table.Td>
                        {invoice.pageUrl && (
                          <Anchor href={invoice.pageUrl} rel="noreferrer" mr="md" aria-label={`Open invoice ${invoice.number}`}>
                            Open
                          </Anchor>
                        )}
                        {invoice.pdfUrl && (
                          <Anchor href={invoice.pdfUrl} rel="noreferrer" aria-label={`PDF of invoice ${invoice.number}`}>
                            PDF
                          </Anchor>
                        )}
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </ScrollBox>
          )
        }
      </Loaded>
    </section>
  );
}
