import { formatCount, formatDay } from '../../format/format.js';
import type { ChartSeries } from '../bar-chart.js';
import { TextLink } from '../links.js';
import classes from './daily-table.module.css';
import { DataTable } from './data-table.js';

interface DailyTableProps {
  title: string;
  days: string[];
  series: ChartSeries[];
  format?: (value: number) => string;
  /** Where a day leads to. */
  hrefOf?: (day: string) => string;
}

/** The numbers of a chart, collapsed by default. Days without values are left out. */
export function DailyTable({ title, days, series, format = formatCount, hrefOf }: DailyTableProps) {
  const busyDays = days.map((day, index) => ({ day, index })).filter(({ index }) => series.some(({ values }) => values[index]));
  return (
    <details className={classes.details}>
      <summary>Show the numbers</summary>
      <DataTable
        label={`${title} in numbers`}
        rows={busyDays}
        keyOf={({ day }) => day}
        empty="Nothing on these days."
        columns={[
          { title: 'Day', cell: ({ day }) => (hrefOf ? <DayLink day={day} href={hrefOf(day)} /> : formatDay(day)) },
          ...series.map(({ label, values }) => ({
            title: label,
            cell: ({ index }: { index: number }) => format(values[index] ?? 0),
            isNumber: true,
          })),
        ]}
      />
    </details>
  );
}

const DayLink = ({ day, href }: { day: string; href: string }) => <TextLink href={href}>{formatDay(day)}</TextLink>;
