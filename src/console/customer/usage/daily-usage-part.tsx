import { Group, SegmentedControl, Skeleton } from '@mantine/core';
import { lastDays, ownTimeZone } from '../../format/days.js';
import { stackDays } from '../../format/stack-days.js';
import { Loaded } from '../../graphql/loaded.js';
import { DailyUsageDocument } from '../../graphql/operations.js';
import { useAnswer } from '../../graphql/use-answer.js';
import { useFilters } from '../../hooks/use-filters.js';
import { paths } from '../../paths.js';
import { BarChart } from '../../ui/bar-chart.js';
import { Section } from '../../ui/section.js';
import { DailyTable } from '../../ui/tables/daily-table.js';

/** Records per day: in total, by token or by county. The choice is in the URL. */
export function DailyUsagePart() {
  const { get, setFilter } = useFilters();
  const days = lastDays(get('days') === '90' ? 90 : 30);
  const by = ['token', 'county'].find((choice) => choice === get('by')) ?? 'day';
  const query = useAnswer(DailyUsageDocument, { from: days[0] ?? '', to: days.at(-1) ?? '', by, timeZone: ownTimeZone });

  return (
    <Section
      title="Records per day"
      actions={
        <Group gap="sm">
          <SegmentedControl
            aria-label="Split by"
            value={by}
            onChange={(choice) => setFilter('by', choice === 'day' ? null : choice)}
            data={[
              { value: 'day', label: 'All' },
              { value: 'token', label: 'By token' },
              { value: 'county', label: 'By county' },
            ]}
          />
          <SegmentedControl
            aria-label="Time"
            value={String(days.length)}
            onChange={(choice) => setFilter('days', choice === '30' ? null : choice)}
            data={[
              { value: '30', label: '30 days' },
              { value: '90', label: '90 days' },
            ]}
          />
        </Group>
      }
    >
      <Loaded what="Your usage" answer={query} placeholder={<Skeleton height={290} />}>
        {({ dailyUsage }) => {
          const series = stackDays(days, dailyUsage, by === 'day' ? 'Records' : undefined);
          return (
            <>
              <BarChart title="Records returned" days={days} series={series} />
              <DailyTable title="Records returned" days={days} series={series} hrefOf={(day) => paths.recordsOf({ from: day, to: day })} />
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}
