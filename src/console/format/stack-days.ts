import type { ChartSeries } from '../ui/bar-chart.js';

interface DailyCount {
  date: string;
  key: string;
  label: string;
  records: number;
}

const maxSeries = 6;

/** Turns rows of (day, key) into series for the chart: the largest first, and those beyond the maximum summed up as the last. */
export function stackDays(days: string[], rows: DailyCount[], onlyLabel?: string): ChartSeries[] {
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

/** Adds a number to the label of a series whose label another one has, since two tokens may have the same name. */
function distinct(series: ChartSeries[]): ChartSeries[] {
  const seen = new Map<string, number>();
  return series.map(({ label, values }) => {
    const count = (seen.get(label) ?? 0) + 1;
    seen.set(label, count);
    return { label: count === 1 ? label : `${label} (${count})`, values };
  });
}

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
