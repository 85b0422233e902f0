import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ColumnMenu, useShownColumns } from './column-menu.js';
import classes from './data-table.module.css';
import { ScrollBox } from './scroll-box.js';
import { SkeletonRows } from './skeleton-rows.js';

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ReactNode;
  /** Numbers are aligned right, so that their digits line up. */
  isNumber?: boolean;
  /** Long texts may wrap. */
  isText?: boolean;
  /** What can be done with a row stays in view at the right while the rest scrolls. */
  isActions?: boolean;
  /** Shown only to those who choose it. */
  isOptional?: boolean;
}

interface DataTableProps<Row> {
  label: string;
  /** Undefined while loading. */
  rows: Row[] | undefined;
  keyOf: (row: Row) => string | number;
  /** The first one is the header of the row. */
  columns: Column<Row>[];
  /** Shown if there are no rows. */
  empty: ReactNode;
  /** The CSS height of the box in which the rows scroll; without one the table is as high as its rows. */
  height?: string;
  /** With it the columns can be chosen; the choice is remembered under this name. */
  choiceName?: string;
}

const expectedRows = 8;
// So few columns fit on every screen.
const maxColumnsWithoutCards = 3;

/**
 * Every table of the console; on narrow screens each row is a card that names its values. Not the library's, whose scroll bars and
 * menus would add 17 KB to the first load.
 */
export function DataTable<Row>({ label, rows, keyOf, columns, empty, height, choiceName }: DataTableProps<Row>) {
  const { shown, toggle } = useShownColumns(columns, choiceName);
  if (rows?.length === 0) return <Text py="md">{empty}</Text>;
  return (
    <>
      {choiceName && <ColumnMenu label={label} columns={columns} shown={shown} onToggle={toggle} />}
      <ScrollBox label={label} {...(height && { height })}>
        <table className={`${classes.table} ${columns.length > maxColumnsWithoutCards ? classes.cards : ''}`} aria-busy={!rows}>
          <thead>
            <tr>
              {shown.map((column) => (
                <th key={column.title} scope="col" className={classOf(column)}>
                  {column.title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {!rows && <SkeletonRows rows={expectedRows} columns={shown.length} />}
            {rows?.map((row) => (
              <tr key={keyOf(row)}>
                {shown.map((column, index) => {
                  const Cell = index === 0 ? 'th' : 'td';
                  return (
                    <Cell
                      key={column.title}
                      scope={index === 0 ? 'row' : undefined}
                      className={classOf(column)}
                      data-label={index === 0 || column.isActions ? undefined : column.title}
                    >
                      {column.cell(row)}
                    </Cell>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </>
  );
}

const classOf = ({ isNumber, isText, isActions }: Column<never>): string | undefined =>
  isNumber ? classes.number : isText ? classes.text : isActions ? classes.actions : undefined;
