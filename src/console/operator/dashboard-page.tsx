import { Grid, Paper, SegmentedControl, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { formatCount, formatShare, formatUsd, pageLanguage } from '../format/format.js';
import { Loaded } from '../graphql/loaded.js';
import { DashboardDocument, type DashboardQuery } from '../graphql/operations.js';
import { useAnswer } from '../graphql/use-answer.js';
import { useFilters } from '../hooks/use-filters.js';
import { StatusLegend } from '../map/status-legend.js';
import { Page } from '../shell/page.js';
import { BarChart } from '../ui/bar-chart.js';
import { Section } from '../ui/section.js';
import { DailyTable } from '../ui/tables/daily-table.js';
import { Timestamp } from '../ui/timestamp.js';
import { Problems } from './problems.js';

/** The overview: first what needs attention, then totals, then charts of the last weeks. */
export default function DashboardPage() {
  const { get, setFilter } = useFilters();
  const days = get('days') === '90' ? 90 : 30;
  const query = useAnswer(DashboardDocument, { days });
  return (
    <Page
      title="Overview"
      actions={
        <SegmentedControl
          aria-label="Time"
          value={String(days)}
          onChange={(choice) => setFilter('days', choice === '30' ? null : choice)}
          data={[
            { value: '30', label: '30 days' },
            { value: '90', label: '90 days' },
          ]}
        />
      }
    >
      <Loaded what="The overview" answer={query} placeholder={<Skeleton height={640} />}>
        {({ dashboard, lastAudit, coverage, checkpointSignedAt, logAlarms }) => (
          <Stack gap="xl">
            <Problems dashboard={dashboard} lastAudit={lastAudit} logAlarms={logAlarms} />
            <SimpleGrid cols={{ base: 2, md: 4 }}>
              <Tile name="Active tokens" value={formatCount(dashboard.activeTokens)} />
              <Tile name="Accounts" value={formatCount(dashboard.accounts)} />
              <Tile name="Subscriptions" value={formatCount(dashboard.activeSubscriptions)} />
              <Tile name="Records served" value={formatCount(coverage.totals.parcels)} />
            </SimpleGrid>
            <Text>
              Newest checkpoint of the ledgers’ log: <Timestamp at={checkpointSignedAt} none="none yet" />
            </Text>
            <Text>
              Size of the database: {formatGigabytes(dashboard.databaseBytes)}. Free on this server’s disk:{' '}
              {formatShare(dashboard.freeDiskShare, 1)}.
            </Text>
            <Charts days={dashboard.days} />
            <Section title={<>Coverage: {formatShare(coverage.totals.byStatus.loaded, coverage.totals.counties)} of counties</>}>
              <Paper withBorder p="md" maw={520}>
                <StatusLegend counts={coverage.totals.byStatus} />
              </Paper>
            </Section>
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

const gigabytes = new Intl.NumberFormat(pageLanguage, { style: 'unit', unit: 'gigabyte', maximumFractionDigits: 2 });

const formatGigabytes = (bytes: string): string => gigabytes.format(Number(bytes) / 1e9);

function Tile({ name, value }: { name: string; value: string }) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text fz={26} fw={700} style={{ fontVariantNumeric: 'tabular-nums' }}>
        {value}
      </Text>
    </Paper>
  );
}

type Day = DashboardQuery['dashboard']['days'][number];

const formatDollars = (value: number): string => formatUsd(value.toFixed(2));

const charts: { title: string; value: (day: Day) => number; format?: (value: number) => string; isWithoutTotal?: boolean }[] = [
  { title: 'Records returned', value: (day) => day.records },
  { title: 'Reads', value: (day) => day.reads },
  // Converted to numbers only for the bars. The server computes amounts of money.
  { title: 'Accrued revenue', value: (day) => Number(day.revenueUsd), format: formatDollars },
  { title: 'Unbilled usage', value: (day) => Number(day.givenUsd), format: formatDollars },
  { title: 'Errors', value: (day) => day.errors },
  { title: 'Tokens in use', value: (day) => day.activeTokens, isWithoutTotal: true },
];

function Charts({ days }: { days: Day[] }) {
  const dates = days.map(({ date }) => date);
  return (
    <Grid gap="xl">
      {charts.map(({ title, value, format, isWithoutTotal = false }) => {
        const series = [{ label: title, values: days.map(value) }];
        return (
          <Grid.Col key={title} span={{ base: 12, lg: 6 }}>
            <BarChart
              title={`${title} per day (UTC)`}
              days={dates}
              series={series}
              isWithoutTotal={isWithoutTotal}
              {...(format && { format })}
            />
            <DailyTable title={title} days={dates} series={series} {...(format && { format })} />
          </Grid.Col>
        );
      })}
    </Grid>
  );
}
