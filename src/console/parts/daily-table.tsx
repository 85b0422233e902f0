import { Table } from '@mantine/core';
import type { ChartSeries } from './bar-chart.js';
import classes from './daily-table.module.css';
import { formatCount, formatDay } from './format.js';
import { ScrollBox } from './scroll-box.js';

/** The numbers behind a chart, folded away; days without any are left out. */
export function DailyTable({
  days,
  series,
  format = formatCount,
}: {
  days: string[];
  series: ChartSeries[];
  format?: (value: number) => string;
}) {
  const busyDays = days.map((day, index) => ({ day, index })).filter(({ index }) => series.some(({ values }) => values[index]));
  return (
    <details className={classes.details}>
      <summary>Show the numbers</summary>
      <ScrollBox label="Numbers of the chart">
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Day</Table.Th>
              {series.map(({ label }) => (
                <Table.Th key={label} scope="col" ta="right">
                  {label}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {busyDays.length === 0 && (
              <Table.Tr>
                <Table.Td colSpan={series.length + 1}>Nothing on any of these days</Table.Td>
              </Table.Tr>
            )}
            {busyDays.map(({ day, index }) => (
              <Table.Tr key={day}>
                <Table.Th scope="row" fw={400}>
                  {formatDay(day)}
                </Table.Th>
                {series.map(({ label, values }) => (
                  <Table.Td key={label} ta="right">
                    {format(values[index] ?? 0)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollBox>
    </details>
  );
}
