import { Skeleton, Text } from '@mantine/core';
import type { ComponentPropsWithoutRef, ReactNode } from 'react';
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
  /** Stays on one line, shortened if it is long. */
  isOneLine?: boolean;
  /** The actions of a row. They stay visible on the right while the rest scrolls. */
  isActions?: boolean;
  /** Hidden until the user chooses it. */
  isOptional?: boolean;
}

interface DataTableProps<Row> {
  label: string;
  /** Undefined while loading. */
  rows: Row[] | undefined;
  /** By default its id. */
  keyOf?: ((row: Row) => string | number) | undefined;
  /** The first one is the row header. Those that are `false` are left out. */
  columns: (Column<Row> | false)[];
  /** Shown if there are no rows. */
  empty: ReactNode;
  /** The CSS height of the box in which the rows scroll. Without it, the table is as high as its rows. */
  height?: string;
  /** On narrow screens a row takes two lines instead of a card, made of its header and this. */
  twoLines?: (row: Row) => TwoLines;
  /** Of each row, such as what happens when somebody points at it. A row with `data-marked` is shown in a stronger colour. */
  rowProps?: (row: Row) => ComponentPropsWithoutRef<'tr'> & Record<`data-${string}`, unknown>;
  /** Lets the user choose columns, and stores the choice under this name. */
  choiceName?: string;
}

/** A row in two lines: what stands beside its header, and below it on the left and on the right. */
export interface TwoLines {
  beside: ReactNode;
  below: ReactNode;
  belowRight: ReactNode;
}

const expectedRows = 8;
// Tables with this many columns fit on every screen, if their texts wrap.
const maxColumnsWithoutCards = 3;

/**
 * Every table of the console. On narrow screens each row becomes a card with labelled values, or two lines. Mantine's table would
 * add 17 KB to the first load.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, rows, keyOf = idOf, empty, height, twoLines, rowProps, choiceName } = props;
  const columns = props.columns.filter((column) => column !== false);
  const { shown, toggle } = useShownColumns(columns, choiceName);
  if (rows?.length === 0)
    return (
      <Text py="md" component="div">
        {empty}
      </Text>
    );
  return (
    <div className={twoLines ? classes.whole : undefined}>
      {choiceName && (
        <div className={twoLines && classes.menu}>
          <ColumnMenu label={label} columns={columns} shown={shown} onToggle={toggle} />
        </div>
      )}
      <ScrollBox label={label} {...(height && { height })}>
        <table className={`${classes.table} ${layoutOf(columns.length, twoLines !== undefined)}`} aria-busy={!rows}>
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
              <tr key={keyOf(row)} {...rowProps?.(row)}>
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
                      {index === 0 && twoLines && <Brief {...twoLines(row)} />}
                    </Cell>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </div>
  );
}

const idOf = (row: unknown): string | number => (row as { id: string | number }).id;

const layoutOf = (columns: number, hasTwoLines: boolean): string | undefined =>
  hasTwoLines ? classes.twoLines : columns > maxColumnsWithoutCards ? classes.cards : classes.narrow;

const Brief = ({ beside, below, belowRight }: TwoLines) => (
  <span className={classes.brief}>
    <span>{beside}</span>
    <span>{below}</span>
    <span>{belowRight}</span>
  </span>
);

const classOf = ({ isNumber, isText, isOneLine, isActions }: Column<never>): string | undefined =>
  isNumber ? classes.number : isText ? classes.text : isOneLine ? classes.oneLine : isActions ? classes.actions : undefined;

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
