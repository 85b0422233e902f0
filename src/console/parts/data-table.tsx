import { Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
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
}

interface DataTableProps<Row> {
  label: string;
  /** Undefined while loading. */
  rows: Row[] | undefined;
  keyOf: (row: Row) => string | number;
  /** The first one is the header of the row. */
  columns: Column<Row>[];
  /** Shown if there are no rows. */
  empty: string;
  /** The CSS height of the box in which the rows scroll; without one the table is as high as its rows. */
  height?: string;
  /** Shown below a row, over its whole width. */
  detailsOf?: (row: Row) => ReactNode;
}

const expectedRows = 8;

/** Every table of the console. Not the library's, whose scroll bars and menus would add 17 KB to the first load. */
export function DataTable<Row>({ label, rows, keyOf, columns, empty, height, detailsOf }: DataTableProps<Row>) {
  if (rows?.length === 0) return <Text py="md">{empty}</Text>;
  return (
    <ScrollBox label={label} {...(height && { height })}>
      <table className={classes.table} aria-busy={!rows}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" className={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {!rows && <SkeletonRows rows={expectedRows} columns={columns.length} />}
          {rows?.map((row) => {
            const details = detailsOf?.(row);
            return (
              <Fragment key={keyOf(row)}>
                <tr>
                  {columns.map((column, index) => {
                    const Cell = index === 0 ? 'th' : 'td';
                    return (
                      <Cell key={column.title} scope={index === 0 ? 'row' : undefined} className={classOf(column)}>
                        {column.cell(row)}
                      </Cell>
                    );
                  })}
                </tr>
                {details && (
                  <tr>
                    <td colSpan={columns.length}>{details}</td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </ScrollBox>
  );
}

const classOf = ({ isNumber, isText }: Column<never>): string | undefined =>
  isNumber ? classes.number : isText ? classes.text : undefined;
