import { Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ScrollBox } from './scroll-box.js';

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ReactNode;
  /** Numbers stand at the right, so that their digits line up. */
  isNumber?: boolean;
  /** Long texts may break. */
  isText?: boolean;
}

interface DataTableProps<Row> {
  label: string;
  rows: Row[];
  keyOf: (row: Row) => string | number;
  /** The first one names the row. */
  columns: Column<Row>[];
  empty: string;
}

/** The one table of the lists that operators work with. */
export function DataTable<Row>({ label, rows, keyOf, columns, empty }: DataTableProps<Row>) {
  if (rows.length === 0) return <Text py="md">{empty}</Text>;
  return (
    <ScrollBox label={label}>
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ title, isNumber }) => (
              <Table.Th key={title} scope="col" ta={isNumber ? 'right' : undefined}>
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)}>
              {columns.map(({ title, cell, isNumber, isText }, index) =>
                index === 0 ? (
                  <Table.Th key={title} scope="row" fw={500}>
                    {cell(row)}
                  </Table.Th>
                ) : (
                  <Table.Td
                    key={title}
                    ta={isNumber ? 'right' : undefined}
                    miw={isText ? 200 : undefined}
                    style={isText ? breaking : undefined}
                  >
                    {cell(row)}
                  </Table.Td>
                ),
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  );
}

const breaking = { whiteSpace: 'normal', overflowWrap: 'anywhere' } as const;
