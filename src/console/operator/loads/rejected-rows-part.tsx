import { Code, Text } from '@mantine/core';
import { formatCount } from '../../format.js';
import { refusalOf, useAnswer } from '../../graphql/client.js';
import { RejectedRowsDocument } from '../../graphql/operations.js';
import { useFilters } from '../../hooks/use-filters.js';
import { Loaded, Section } from '../../ui/parts.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { EmptyList, FilterBar, searchFor } from '../../ui/tables/filter-bar.js';

const filters = [searchFor('Reason, file or value')];

/** The first rejected rows, and why they were rejected. */
export function RejectedRowsPart({ releaseId, count }: { releaseId: number; count: number }) {
  const { get } = useFilters();
  const search = get('search');
  const query = useAnswer(RejectedRowsDocument, { releaseId, search });
  return (
    <Section title="Rejected rows">
      <FilterBar filters={filters} errorOf={(name) => refusalOf(query.error, name)} />
      <Loaded what="The rejected rows" answer={query}>
        {({ rejectedRows }) => (
          <>
            <DataTable
              label="List of rejected rows"
              rows={rejectedRows}
              keyOf={({ file, number }) => `${number} ${file}`}
              empty={
                <EmptyList what="rejected rows" filters={filters}>
                  The list is on the server that loaded the file, not on this one.
                </EmptyList>
              }
              columns={[
                { title: 'Row', cell: ({ number }) => formatCount(number), isNumber: true },
                rejectedRows.some(({ file }) => file !== null) && { title: 'File', cell: ({ file }) => file },
                { title: 'Reason', cell: ({ reason }) => reason, isText: true },
                { title: 'Content', cell: ({ row }) => <RowOfFile row={row as object} />, isText: true },
              ]}
            />
            {rejectedRows.length > 0 && rejectedRows.length < count && (
              <Text size="sm" c="dimmed" mt="xs">
                {search
                  ? `Up to 50 matches of ${formatCount(count)} rejected rows.`
                  : `The first ${formatCount(rejectedRows.length)} of ${formatCount(count)}.`}
              </Text>
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}

const maxCharacters = 80;

/** The values of a row. Its columns are collapsed. */
function RowOfFile({ row }: { row: object }) {
  const values = Object.values(row).filter((value) => value !== null && value !== '');
  const text = values.map((value) => (typeof value === 'object' ? JSON.stringify(value) : value)).join(' · ');
  return (
    <details>
      <summary>{text === '' ? 'empty' : text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text}</summary>
      <Code block style={{ whiteSpace: 'pre-wrap' }}>
        {JSON.stringify(row, null, 2)}
      </Code>
    </details>
  );
}
