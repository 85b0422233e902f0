import { Box, Grid, Paper, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatCount, formatShare, formatUsd, pageLanguage, plural, serverNow } from '../format.js';
import { useAnswer } from '../graphql/client.js';
import { DashboardDocument, type DashboardQuery } from '../graphql/operations.js';
import { useFilters } from '../hooks/use-filters.js';
import { stateName } from '../map/states.js';
import { StatusLegend } from '../map/status.js';
import { paths } from '../paths.js';
import { Page } from '../shell/page.js';
import { DailyChart } from '../ui/bar-chart.js';
import { Loaded, Section, TextLink, Timestamp } from '../ui/parts.js';
import { FilterSwitch } from '../ui/tables/filter-bar.js';

/** The overview: first what needs attention, then totals, then charts of the last weeks. */
export default function DashboardPage() {
  const days = useFilters().get('days') === '90' ? 90 : 30;
  const query = useAnswer(DashboardDocument, { days });
  return (
    <Page title="Overview" actions={<FilterSwitch label="Time" name="days" options={{ 30: '30 days', 90: '90 days' }} />}>
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
            {dashboard.ledgerEntries !== null && (
              <Text role="status">
                The sums are being brought up to date: the days below have {formatCount(dashboard.summedEntries ?? 0)} of{' '}
                {plural(dashboard.ledgerEntries, 'entry', 'entries')} of the ledger.
              </Text>
            )}
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
      {charts.map(({ title, value, ...look }) => (
        <Grid.Col key={title} span={{ base: 12, lg: 6 }}>
          <DailyChart title={`${title} per day (UTC)`} days={dates} series={[{ label: title, values: days.map(value) }]} {...look} />
        </Grid.Col>
      ))}
    </Grid>
  );
}

interface Problem {
  key: string;
  what: ReactNode;
  cure: string;
}

// Audits run every night.
const auditLateMs = 36 * 3600 * 1000;
const leastFreeShare = 0.1;

const borderTop = '1px solid var(--mantine-color-default-border)';

/** Lists the present problems with a remedy for each, or says that there are none. */
function Problems(found: Pick<DashboardQuery, 'dashboard' | 'lastAudit' | 'logAlarms'>) {
  const problems = problemsOf(found);
  return (
    <Section title={problems.length === 0 ? 'Nothing needs attention' : 'Needs attention'}>
      {problems.length === 0 ? (
        <Text size="sm" c="dimmed">
          Jobs, loads, releases, mail, billing, the ledger audit, the checkpoints and this server's disk are in order, as of{' '}
          <Timestamp at={new Date(serverNow()).toISOString()} style="exact" />.
        </Text>
      ) : (
        <Paper withBorder component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
          {problems.map(({ key, what, cure }, index) => (
            <Box key={key} component="li" px="md" py="sm" style={index > 0 ? { borderTop } : undefined}>
              <Text fw={600} component="div">
                {what}
              </Text>
              <Text size="sm">{cure}</Text>
            </Box>
          ))}
        </Paper>
      )}
    </Section>
  );
}

function problemsOf({ dashboard, lastAudit, logAlarms }: Pick<DashboardQuery, 'dashboard' | 'lastAudit' | 'logAlarms'>): Problem[] {
  const { unsettledOverageItems, heldReleases } = dashboard;
  const isAuditLate = lastAudit !== null && serverNow() - Date.parse(lastAudit.ranAt) > auditLateMs;
  const problems: (Problem | false)[] = [
    lastAudit?.ok === false && {
      key: 'audit',
      what: <TextLink href={paths.adminAudit}>The last ledger audit failed</TextLink>,
      cure: 'Open it to see which entry breaks which rule. Do not correct anything by hand. Follow “When the audit fails” in OPERATIONS.md.',
    },
    lastAudit === null && {
      key: 'audit-never',
      what: <TextLink href={paths.adminAudit}>The ledger has never been audited</TextLink>,
      cure: 'An audit runs every night. Run one now to know that the books are right.',
    },
    isAuditLate && {
      key: 'audit-late',
      what: (
        <TextLink href={paths.adminAudit}>
          No ledger audit has run since <Timestamp at={lastAudit.ranAt} />
        </TextLink>
      ),
      cure: 'It runs every night. Run it now, and check whether its job has failed.',
    },
    ...logAlarms.map(({ text, since }) => ({
      key: text,
      what: (
        <>
          No checkpoint has been signed, and mail and Stripe have waited, since <Timestamp at={since} />
        </>
      ),
      cure: text,
    })),
    counted(
      'Differences between our books and Stripe',
      dashboard.billingDifferences,
      paths.adminAudit,
      'Compare each with the invoice, refund or bill the difference in Stripe, then acknowledge it.',
    ),
    unsettledOverageItems > 0 && {
      key: 'overage',
      what: `Overage that Stripe has not confirmed for an hour: ${plural(unsettledOverageItems, 'item')}`,
      cure: 'We keep asking Stripe. If this stays, check that this server can reach Stripe.',
    },
    counted(
      'Failed webhook events',
      dashboard.failedWebhookEvents,
      paths.adminEvents,
      'Read the error, fix its cause, then replay the event.',
    ),
    ...heldReleases.map(({ id, countyFips, countyName, countyState }) => ({
      key: `release ${id}`,
      what: (
        <TextLink href={paths.adminRelease(id)}>
          Release {id} of {countyName}, {stateName(countyState)} ({countyFips}), is held for your decision
        </TextLink>
      ),
      cure: 'Read what it would change, then publish or discard it.',
    })),
    counted(
      'Failed loads',
      dashboard.failedLoads,
      paths.adminLoads,
      'Each load says why it failed. Load the file again with the option that it names.',
    ),
    counted(
      'Permanently failed jobs',
      dashboard.failedJobs,
      paths.adminJobsOf({ state: 'failed' }),
      'Read the error, fix its cause, then run each job again or drop it.',
    ),
    // An alarm makes jobs wait, too.
    logAlarms.length === 0 &&
      counted(
        'Jobs that no server is running',
        dashboard.stuckJobs,
        paths.adminJobs,
        'They have been due for more than 10 minutes. Check that a server is up, and look for errors of jobs in its log.',
      ),
    counted(
      'Mail not sent within 7 days, because no mail server is set',
      dashboard.keptMails,
      paths.adminJobsOf({ state: 'kept' }),
      'Set SMTP_URL and restart. The command “mails” prints what was kept, with the links that people are waiting for.',
    ),
    counted(
      'Mail that could not be sent yet',
      dashboard.failingMails,
      paths.adminJobsOf({ search: 'send-mail' }),
      'It is retried automatically. Check SMTP_URL and the mail server; the job shows the server’s answer.',
    ),
    dashboard.freeDiskShare < leastFreeShare && {
      key: 'disk',
      what: `The disk of this server is ${formatShare(1 - dashboard.freeDiskShare, 1)} full`,
      cure: 'Add space to DATA_DIR, or withdraw counties that nobody reads. Without space, loads fail first, then reads.',
    },
    ...dashboard.billingWarnings.map(({ subscriptionId, accountId, accountEmail, text }) => ({
      key: subscriptionId,
      what: (
        <>
          The subscription of <TextLink href={paths.adminAccount(accountId)}>{accountEmail ?? accountId}</TextLink> differs from those we
          sell
        </>
      ),
      cure: text,
    })),
  ];
  return problems.filter((problem) => problem !== false);
}

/** The number of things that are wrong in one way, with a link to where they are seen. */
const counted = (name: string, count: number, href: string, cure: string): Problem | false =>
  count > 0 && { key: name, what: <TextLink href={href}>{`${name}: ${formatCount(count)}`}</TextLink>, cure };
