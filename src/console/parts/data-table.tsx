import { Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import classes from './data-table.module.css';
import { ScrollBox } from './scroll-box.js';
import { SkeletonRows } from './skeleton-rows.js';

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
  /** Undefined while they are on their way. */
  rows: Row[] | undefined;
  keyOf: (row: Row) => string | number;
  /** The first one names the row. */
  columns: Column<Row>[];
  /** What stands there instead of a table without rows. */
  empty: string;
  /** Of the box that the rows scroll in, as CSS has it; without one it is as high as its rows. */
  height?: string;
  /** What opens below a row, over its whole width. */
  detailsOf?: (row: Row) => ReactNode;
}

const expectedRows = 8;

/** Every table. Our own, since the library's brings its scroll bars and the placing of its menus along: 17 KB of the first load. */
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
