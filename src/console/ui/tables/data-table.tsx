import { Box, Group, Paper } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { type ComponentPropsWithoutRef, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { Nothing } from '../parts.js';
import classes from './data-table.module.css';

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
  rows: Row[];
  /** By default its id. */
  keyOf?: ((row: Row) => string | number) | undefined;
  /** The first one is the row header. Those that are `false` are left out. */
  columns: (Column<Row> | false)[];
  /** Said if there are no rows, with what to do next. */
  empty?: ReactNode;
  /** The CSS height of the box in which the rows scroll. Without it, the table is as high as its rows. */
  height?: string;
  /** On narrow screens a row takes two lines instead of a card, made of its header and this. */
  twoLines?: (row: Row) => TwoLines;
  /** Props of each row, such as its pointer handlers. A row with `data-marked` is shown in a stronger colour. */
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

// Tables with this many columns fit on every screen, if their texts wrap.
const maxColumnsWithoutCards = 3;

/**
 * Every table of the console. On narrow screens each row becomes a card with its labelled values, or two lines. Mantine's table would
 * add 17 KB to the first load.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, rows, keyOf = idOf, empty, height, twoLines, rowProps, choiceName } = props;
  const columns = props.columns.filter((column) => column !== false);
  const { shown, toggle } = useShownColumns(columns, choiceName);
  if (rows.length === 0) return <Nothing>{empty}</Nothing>;
  return (
    <div className={twoLines ? classes.whole : undefined}>
      {choiceName && (
        <div className={twoLines && classes.menu}>
          <ColumnMenu label={label} columns={columns} shown={shown} onToggle={toggle} />
        </div>
      )}
      <ScrollBox label={label} {...(height && { height })}>
        <table className={`${classes.table} ${layoutOf(columns.length, twoLines !== undefined)}`}>
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
            {rows.map((row) => (
              <tr key={keyOf(row)} {...rowProps?.(row)}>
                {shown.map((column, index) => {
                  const Cell = index === 0 ? 'th' : 'td';
                  const value = column.cell(row);
                  return (
                    <Cell
                      key={column.title}
                      scope={index === 0 ? 'row' : undefined}
                      className={classOf(column)}
                      data-label={index === 0 || column.isActions ? undefined : column.title}
                      data-empty={!value || value === '–' || undefined}
                    >
                      {value}
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

/**
 * A focusable box in which a table scrolls in both directions. A shadow at an edge shows that there is more. The page itself never
 * scrolls sideways.
 */
function ScrollBox({ label, height, children }: { label: string; height?: string; children: ReactNode }) {
  const { boxRef, hiddenEdges } = useHiddenEdges();
  return (
    <div className={classes.frame} data-more={hiddenEdges}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the focus, or the keyboard cannot scroll it */}
      <section ref={boxRef} className={classes.box} style={height ? { height } : undefined} aria-label={label} tabIndex={0}>
        {children}
      </section>
    </div>
  );
}

interface ChoosableColumn {
  title: string;
  isActions?: boolean;
  isOptional?: boolean;
}

/** The columns to show: the user's choice if `choiceName` is set and a choice was made, or those that are not optional. */
function useShownColumns<Column extends ChoosableColumn>(columns: Column[], choiceName: string | undefined) {
  const [choice, choose] = useLocalStorage<Record<string, boolean>>({
    key: `columns of ${choiceName}`,
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  const isShown = ({ title, isOptional = false }: Column) => choice[title] ?? !isOptional;
  return {
    shown: columns.filter((column, index) => !isChoosable(column, index) || isShown(column)),
    toggle: (column: Column) => choose({ ...choice, [column.title]: !isShown(column) }),
  };
}

/** The row header and the actions are always shown. */
const isChoosable = ({ isActions = false }: ChoosableColumn, index: number): boolean => index > 0 && !isActions;

interface ColumnMenuProps<Column> {
  /** The name of the table. */
  label: string;
  columns: Column[];
  shown: Column[];
  onToggle: (column: Column) => void;
}

/** Chooses the columns of a table. It opens in place, so it needs no positioning and no closing. */
function ColumnMenu<Column extends ChoosableColumn>({ label, columns, shown, onToggle }: ColumnMenuProps<Column>) {
  return (
    <Box component="details" mb={6} fz="sm">
      <Box component="summary" w="max-content" ml="auto">
        Columns
      </Box>
      <Paper component="fieldset" withBorder mt={6} mx={0} px="sm" py={6} aria-label={`Columns of ${label}`}>
        <Group gap="0 1.2rem">
          {columns.filter(isChoosable).map((column) => (
            <Box component="label" key={column.title} py={5} style={{ cursor: 'pointer' }}>
              <input type="checkbox" checked={shown.includes(column)} onChange={() => onToggle(column)} /> {column.title}
            </Box>
          ))}
        </Group>
      </Paper>
    </Box>
  );
}

/** The edges of a box that hide more content to scroll to, as words: `right bottom`. */
function useHiddenEdges(): { boxRef: RefObject<HTMLElement | null>; hiddenEdges: string } {
  const boxRef = useRef<HTMLElement>(null);
  const [hiddenEdges, setHiddenEdges] = useState('');
  useEffect(() => {
    const box = boxRef.current;
    if (!box) return;
    const look = () => setHiddenEdges(edgesOf(box));
    const observer = new ResizeObserver(look);
    observer.observe(box);
    for (const child of box.children) observer.observe(child);
    box.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener('scroll', look);
    };
  }, []);
  return { boxRef, hiddenEdges };
}

function edgesOf(box: HTMLElement): string {
  // Sizes are rounded to whole pixels, positions are not.
  const slack = 1;
  const right = box.scrollWidth - box.clientWidth - box.scrollLeft;
  const below = box.scrollHeight - box.clientHeight - box.scrollTop;
  return [box.scrollLeft > slack && 'left', right > slack && 'right', below > slack && 'bottom'].filter(Boolean).join(' ');
}
