import { Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { lastDays, ownTimeZone, plural } from '../../format.js';
import { queryPatiently, useAnswer } from '../../graphql/client.js';
import { DailyUsageDocument, LedgerCsvDocument, type LedgerCsvQuery, type LedgerCsvQueryVariables } from '../../graphql/operations.js';
import { useFilters } from '../../hooks/use-filters.js';
import { type LedgerFilter, OwnLedger } from '../../ledger/ledger-list.js';
import { paths } from '../../paths.js';
import { Page } from '../../shell/page.js';
import { DailyChart, stackDays } from '../../ui/bar-chart.js';
import { ActionButton, Loaded, Section, saveFile } from '../../ui/parts.js';
import { FilterSwitch } from '../../ui/tables/filter-bar.js';
import { BalancesPart } from './balances-part.js';

/** Balances, daily usage and the ledger. */
export default function UsagePage() {
  return (
    <Page title="Usage" description="Each record returned counts once. Times are in your time zone. An entry’s own page also shows UTC.">
      <Stack gap={40}>
        <BalancesPart />
        <DailyUsagePart />
        <LedgerPart />
      </Stack>
    </Page>
  );
}

/** Records per day: in total, by token or by county. The choice is in the URL. */
function DailyUsagePart() {
  const { get } = useFilters();
  const days = lastDays(get('days') === '90' ? 90 : 30);
  const by = ['token', 'county'].find((choice) => choice === get('by')) ?? 'day';
  const query = useAnswer(DailyUsageDocument, { from: days[0] ?? '', to: days.at(-1) ?? '', by, timeZone: ownTimeZone });

  return (
    <Section
      title="Records per day"
      actions={
        <Group gap="sm">
          <FilterSwitch label="Split by" name="by" options={{ day: 'All', token: 'By token', county: 'By county' }} />
          <FilterSwitch label="Time" name="days" options={{ 30: '30 days', 90: '90 days' }} />
        </Group>
      }
    >
      <Loaded what="Your usage" answer={query} placeholder={<Skeleton height={290} />}>
        {({ dailyUsage }) => {
          const series = stackDays(days, dailyUsage, by === 'day' ? 'Records' : undefined);
          return (
            <DailyChart title="Records returned" days={days} series={series} hrefOf={(day) => paths.recordsOf({ from: day, to: day })} />
          );
        }}
      </Loaded>
    </Section>
  );
}

function LedgerPart() {
  const title = useRef<HTMLHeadingElement>(null);
  // A link to the ledger scrolls to it and focuses it.
  useEffect(() => {
    if (window.location.hash !== '#ledger') return;
    title.current?.scrollIntoView();
    title.current?.focus();
  }, []);
  return (
    <section id="ledger" aria-labelledby="ledger-title">
      <Title order={2} size="h4" id="ledger-title" mb="sm" ref={title} tabIndex={-1}>
        Ledger
      </Title>
      <OwnLedger after={(filter) => <Download filter={filter} />} />
    </section>
  );
}

function Download({ filter }: { filter: LedgerFilter }) {
  const [fetched, setFetched] = useState(0);
  return (
    <Group mt="xs">
      <ActionButton size="sm" act={() => downloadLedger(filter, setFetched).finally(() => setFetched(0))}>
        Download as CSV
      </ActionButton>
      <Text size="sm" c="dimmed" role="status">
        {fetched > 0 && `${plural(fetched, 'entry', 'entries')} so far`}
      </Text>
    </Group>
  );
}

/**
 * Fetches all matching entries and saves them as a file. It goes from the newest entry back in time, so each entry is in the file once,
 * even if new ones are written meanwhile.
 */
async function downloadLedger(filter: Omit<LedgerCsvQueryVariables, 'before'>, onProgress: (entries: number) => void): Promise<void> {
  const texts: string[] = [];
  let fetched = 0;
  let before: string | null = null;
  do {
    const { ledgerCsv }: LedgerCsvQuery = await queryPatiently(LedgerCsvDocument, { ...filter, before });
    texts.push(ledgerCsv.text);
    fetched += ledgerCsv.rows;
    before = ledgerCsv.older;
    onProgress(fetched);
  } while (before);
  saveFile('ledger.csv', 'text/csv', texts);
}
