import type { ChartSeries } from '../ui/bar-chart.js';

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
