import { Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useHiddenEdges } from '../../hooks/use-hidden-edges.js';
import { ColumnMenu, useShownColumns } from './column-menu.js';
import classes from './data-table.module.css';
import scrollClasses from './scroll-box.module.css';

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ReactNode;
  /** Aligned right, so that digits line up. */
  isNumber?: boolean;
  /** Long texts may wrap. */
  isText?: boolean;
  /** The actions of a row. They stay visible on the right while the rest scrolls. */
  isActions?: boolean;
  /** Hidden until the user chooses it. */
  isOptional?: boolean;
}

interface DataTableProps<Row> {
  label: string;
  /** Undefined while loading. */
  rows: Row[] | undefined;
  keyOf: (row: Row) => string | number;
  /** The first one is the row header. */
  columns: Column<Row>[];
  /** Shown if there are no rows. */
  empty: ReactNode;
  /** The CSS height of the box in which the rows scroll. Without it, the table is as high as its rows. */
  height?: string;
  /** Lets the user choose columns, and stores the choice under this name. */
  choiceName?: string;
}

const expectedRows = 8;
// Tables with this many columns fit on every screen.
const maxColumnsWithoutCards = 3;

/**
 * Every table of the console. On narrow screens each row becomes a card with labelled values. Mantine's table would add 17 KB to the
 * first load.
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

/** Placeholder rows of a table that is loading. */
function SkeletonRows({ rows, columns }: { rows: number; columns: number }) {
  return Array.from({ length: rows }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: placeholders are all alike
    <tr key={row}>
      {Array.from({ length: columns }, (_, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders are all alike
        <td key={column}>
          <Skeleton height={12} my={4} />
        </td>
      ))}
    </tr>
  ));
}

/**
 * A focusable box in which a table scrolls in both directions. A shadow at an edge shows that there is more. The page itself never
 * scrolls sideways.
 */
function ScrollBox({ label, height, children }: { label: string; height?: string; children: ReactNode }) {
  const { boxRef, hiddenEdges } = useHiddenEdges();
  return (
    <div className={scrollClasses.frame} data-more={hiddenEdges}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the focus, or the keyboard cannot scroll it */}
      <section ref={boxRef} className={scrollClasses.box} style={height ? { height } : undefined} aria-label={label} tabIndex={0}>
        {children}
      </section>
    </div>
  );
}
