import { Text } from '@mantine/core';
import { useState } from 'react';
import { formatCount, formatDay } from '../format/format.js';
import classes from './bar-chart.module.css';

export interface ChartSeries {
  label: string;
  /** One value a day, in the order of the days. */
  values: number[];
}

interface BarChartProps {
  /** What is counted, as in "Records a day". */
  title: string;
  days: string[];
  /** At most six, stacked from the bottom; a seventh colour could not be told from the others. */
  series: ChartSeries[];
  format?: (value: number) => string;
  /** Unset: the days are added up. Not where one thing may count on several days. */
  isWithoutTotal?: boolean;
}

/** Stacked bars, one a day. `DailyTable` shows the same numbers for those who cannot see the chart. */
export function BarChart({ title, days, series, format = formatCount, isWithoutTotal = false }: BarChartProps) {
  const [pointedDay, setPointedDay] = useState<number>();
  const totals = days.map((_, day) => series.reduce((sum, { values }) => sum + (values[day] ?? 0), 0));
  const top = niceCeiling(Math.max(...totals, 0));

  return (
    <figure className={classes.figure}>
      <figcaption className={classes.caption}>
        <Text span fw={600}>
          {title}
        </Text>
        <Text span size="sm" c="dimmed" className={classes.sum}>
          {!isWithoutTotal && `${format(totals.reduce((sum, total) => sum + total, 0))} in all`}
          {pointedDay !== undefined && <span className={classes.pointed}>{describe(pointedDay)}</span>}
        </Text>
      </figcaption>
      <div className={classes.plot} aria-hidden="true">
        <div className={classes.axis}>
          {[top, top / 2, 0].map((value) => (
            <span key={value}>{format(value)}</span>
          ))}
        </div>
        <div className={classes.bars} onPointerLeave={() => setPointedDay(undefined)}>
          {days.map((day, index) => (
            <div key={day} className={classes.slot} onPointerEnter={() => setPointedDay(index)}>
              <div className={classes.bar}>
                {series.map(({ label, values }, rank) => (
                  <div key={label} style={{ height: `${(100 * (values[index] ?? 0)) / top}%`, background: `var(--series-${rank + 1})` }} />
                ))}
              </div>
            </div>
          ))}
        </div>
        <div className={classes.days}>
          <span>{days[0] && formatDay(days[0])}</span>
          <span>{days.at(-1) && formatDay(days.at(-1) as string)}</span>
        </div>
      </div>
      {series.length > 1 && (
        <ul className={classes.legend}>
          {series.map(({ label }, rank) => (
            <li key={label}>
              <span className={classes.swatch} style={{ background: `var(--series-${rank + 1})` }} />
              {label}
            </li>
          ))}
        </ul>
      )}
    </figure>
  );

  function describe(day: number): string {
    const parts =
      series.length > 1
        ? series.filter(({ values }) => values[day]).map(({ label, values }) => `${label} ${format(values[day] ?? 0)}`)
        : [];
    return [`${formatDay(days[day] ?? '')}: ${format(totals[day] ?? 0)}`, ...parts].join(' · ');
  }
}

/** The next of 2, 4, 6, 8, 10, 20, 40 …, so that the axis and its middle have round numbers. */
function niceCeiling(value: number): number {
  if (value <= 2) return 2;
  const magnitude = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 6, 8, 10].find((step) => step * magnitude >= value) ?? 10) * magnitude;
}
