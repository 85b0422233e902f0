import { Box, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { formatCount, formatDay } from '../format.js';
import classes from './bar-chart.module.css';
import { Swatch, TextLink } from './parts.js';
import { DataTable } from './tables/data-table.js';

export interface ChartSeries {
  label: string;
  /** One value per day, in the order of the days. */
  values: number[];
}

interface DailyChartProps {
  /** Names the counted thing, as in "Records per day". */
  title: string;
  days: string[];
  /** At most six, stacked from the bottom. A seventh colour could not be distinguished. */
  series: ChartSeries[];
  format?: (value: number) => string;
  /** Hides the total, for things that may count on several days. */
  isWithoutTotal?: boolean;
  /** Where a day leads to. */
  hrefOf?: (day: string) => string;
}

/** Stacked bars, one per day, and the same numbers as a table, for users who cannot see the chart. */
export const DailyChart = (props: DailyChartProps) => (
  <div>
    <BarChart {...props} />
    <DailyTable {...props} />
  </div>
);

function BarChart({ title, days, series, format = formatCount, isWithoutTotal = false }: DailyChartProps) {
  const [pointedDay, setPointedDay] = useState<number>();
  const totals = days.map((_, day) => series.reduce((sum, { values }) => sum + (values[day] ?? 0), 0));
  const top = niceCeiling(Math.max(...totals, 0));

  return (
    <Box component="figure" m={0}>
      <Group component="figcaption" justify="space-between" align="baseline" gap="0 1rem" mb="xs">
        <Text span fw={600}>
          {title}
        </Text>
        <Text span size="sm" c="dimmed" pos="relative" flex="1 1 10rem" mih="1.3rem" ta="right">
          {!isWithoutTotal && `${format(totals.reduce((sum, total) => sum + total, 0))} in total`}
          {pointedDay !== undefined && <span className={classes.pointed}>{describe(pointedDay)}</span>}
        </Text>
      </Group>
      <div className={classes.plot} aria-hidden="true">
        <Stack justify="space-between" gap={0} ta="right" lh={1}>
          {[top, top / 2, 0].map((value) => (
            <span key={value}>{format(value)}</span>
          ))}
        </Stack>
        <div className={classes.bars} onPointerLeave={() => setPointedDay(undefined)}>
          {days.map((day, index) => (
            <div key={day} className={classes.bar} onPointerEnter={() => setPointedDay(index)} data-colored>
              {series.map(({ label, values }, rank) => (
                <div key={label} style={{ height: `${(100 * (values[index] ?? 0)) / top}%`, background: `var(--series-${rank + 1})` }} />
              ))}
            </div>
          ))}
        </div>
        <Group justify="space-between" style={{ gridColumn: 2 }}>
          <span>{days[0] && formatDay(days[0])}</span>
          <span>{days.at(-1) && formatDay(days.at(-1) as string)}</span>
        </Group>
      </div>
      {series.length > 1 && (
        <Group component="ul" gap="0.3rem 1.2rem" p={0} m={0} mt="sm" fz="sm" style={{ overflowWrap: 'anywhere' }}>
          {series.map(({ label }, rank) => (
            <Group key={label} component="li" gap="xs" wrap="nowrap">
              <Swatch color={`var(--series-${rank + 1})`} size={12} />
              {label}
            </Group>
          ))}
        </Group>
      )}
    </Box>
  );

  function describe(day: number): string {
    const parts =
      series.length > 1
        ? series.filter(({ values }) => values[day]).map(({ label, values }) => `${label} ${format(values[day] ?? 0)}`)
        : [];
    return [`${formatDay(days[day] ?? '')}: ${format(totals[day] ?? 0)}`, ...parts].join(' · ');
  }
}

/** Rounds up to 2, 4, 6, 8, 10, 20, 40 …, so that the top and the middle of the axis are round numbers. */
function niceCeiling(value: number): number {
  if (value <= 2) return 2;
  const magnitude = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 6, 8, 10].find((step) => step * magnitude >= value) ?? 10) * magnitude;
}

/** The numbers of a chart, collapsed by default. Days without values are left out. */
function DailyTable({ title, days, series, format = formatCount, hrefOf }: DailyChartProps) {
  const busyDays = days.map((day, index) => ({ day, index })).filter(({ index }) => series.some(({ values }) => values[index]));
  return (
    <Box component="details" mt="sm">
      <Text component="summary" size="sm" c="var(--mantine-color-anchor)" display="inline-block" mb="xs">
        Show the numbers
      </Text>
      <DataTable
        label={`${title} in numbers`}
        rows={busyDays}
        keyOf={({ day }) => day}
        empty="Nothing on these days."
        columns={[
          { title: 'Day', cell: ({ day }) => (hrefOf ? <TextLink href={hrefOf(day)}>{formatDay(day)}</TextLink> : formatDay(day)) },
          ...series.map(({ label, values }) => ({
            title: label,
            cell: ({ index }: { index: number }) => format(values[index] ?? 0),
            isNumber: true,
          })),
        ]}
      />
    </Box>
  );
}

interface DailyCount {
  date: string;
  key: string;
  label: string;
  records: number;
}

const mostSeries = 6;

/** Turns rows of (day, key) into chart series, the largest first. Those beyond the maximum are summed up in the last one. */
export function stackDays(days: string[], rows: DailyCount[], onlyLabel?: string, maxSeries = mostSeries): ChartSeries[] {
  const indexOf = new Map(days.map((day, index) => [day, index]));
  const byKey = new Map<string, ChartSeries>();
  for (const { date, key, label, records } of rows) {
    const series = byKey.get(key) ?? { label: onlyLabel ?? label, values: days.map(() => 0) };
    const day = indexOf.get(date);
    if (day !== undefined) series.values[day] = (series.values[day] ?? 0) + records;
    byKey.set(key, series);
  }
  const sorted = [...byKey.values()].sort((a, b) => sum(b.values) - sum(a.values));
  if (sorted.length === 0) return [{ label: onlyLabel ?? 'Records', values: days.map(() => 0) }];
  if (sorted.length <= maxSeries) return distinct(sorted);
  const rest = sorted.slice(maxSeries - 1);
  const others = days.map((_, day) => sum(rest.map(({ values }) => values[day] ?? 0)));
  return distinct([...sorted.slice(0, maxSeries - 1), { label: `${rest.length} others`, values: others }]);
}

/** Numbers duplicate labels, since two tokens may have the same name. */
function distinct(series: ChartSeries[]): ChartSeries[] {
  const seen = new Map<string, number>();
  return series.map(({ label, values }) => {
    const count = (seen.get(label) ?? 0) + 1;
    seen.set(label, count);
    return { label: count === 1 ? label : `${label} (${count})`, values };
  });
}

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
