import { Alert, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { formatCount, formatDay, plural, serverNow } from '../../format.js';
import { queryPatiently, useAnswer } from '../../graphql/client.js';
import {
  BoughtCountiesDocument,
  BoughtRecordsDocument,
  type BoughtRecordsQuery,
  type BoughtRecordsQueryVariables,
  LedgerDocument,
  TokenNamesDocument,
} from '../../graphql/operations.js';
import { useFilters } from '../../hooks/use-filters.js';
import { useRemote } from '../../hooks/use-remote.js';
import { requestedCounty } from '../../ledger/entry-columns.js';
import { paths } from '../../paths.js';
import { Page } from '../../shell/page.js';
import { Items, Loaded, NextStep, Section, TextLink, Timestamp } from '../../ui/parts.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { DayFields, FilterBar, tokenIn } from '../../ui/tables/filter-bar.js';
import { CursorPager } from '../../ui/tables/pager.js';
import { DownloadRecords } from './download-records.js';

const limit = 25;

/** Every record that the account paid for, to find one among them and to download them. Filters and page are in the URL. */
export default function RecordsPage() {
  const { get, common } = useFilters();
  const filter = { ...common, search: get('search'), releases: get('releases') };
  const variables = { ...filter, after: get('after'), limit };
  const found = useRemote(`records ${JSON.stringify(variables)}`, (signal) => fetchFound(variables, signal));
  return (
    <Page
      title="Records"
      description="The records that you paid for, each once. Searching and downloading them is free. Find one by its parcel number, its address, or a box in degrees: west, south, east, north. A record is kept until a week after its county is loaded again or withdrawn."
    >
      <Filters />
      <Loaded what="Your records" answer={found} placeholder={<Skeleton height={480} />}>
        {(page) => (
          <Stack>
            <Missing page={page} />
            {page.total > 0 && <DownloadRecords filter={filter} />}
            {(page.total > 0 || page.recentRecords === 0) && (
              <Found page={page} isSearch={Boolean(filter.search)} isFiltered={Object.values(filter).some(Boolean)} />
            )}
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function Filters() {
  const counties = useAnswer(BoughtCountiesDocument, {});
  const tokens = useAnswer(TokenNamesDocument, {});
  const ofCounties = (counties.data?.boughtRecords.counties ?? []).map(({ fips, name, state }) => ({
    value: fips,
    label: `${name}, ${state}`,
  }));
  return (
    <FilterBar
      filters={[
        { label: 'Find', name: 'search', placeholder: 'Parcel number, address or box', width: 280 },
        { label: 'County', name: 'county', options: ofCounties },
        tokenIn(tokens.data?.tokens),
      ]}
    >
      <DayFields />
    </FilterBar>
  );
}

/** Says which records are not in the list, and why. */
function Missing({ page: { notKept, recentRecords, olderRecords } }: { page: FoundPage }) {
  const { get, setFilter } = useFilters();
  const hasAll = get('releases') === 'all';
  return (
    <>
      {notKept.length > 0 && (
        <Alert
          color="orange"
          title={`${plural(
            notKept.reduce((sum, { count }) => sum + count, 0),
            'record',
          )} no longer available`}
        >
          Their releases were replaced or withdrawn more than a week ago. Each file ends with this list.
          <Items
            size="sm"
            mt="xs"
            of={notKept.map((one) => `${one.countyName}, ${one.state}: ${plural(one.count, 'record')} of release ${one.releaseId}`)}
          />
        </Alert>
      )}
      {recentRecords > 0 && <SettlingReads records={recentRecords} />}
      {(olderRecords > 0 || hasAll) && (
        <Group gap="sm">
          <Text size="sm">
            {hasAll
              ? 'A parcel that you read from several releases is listed once for each.'
              : `${plural(olderRecords, 'older version')} of parcels in this list ${olderRecords === 1 ? 'is' : 'are'} left out.`}
          </Text>
          <Button variant="default" size="compact-sm" onClick={() => setFilter('releases', hasAll ? null : 'all')}>
            {hasAll ? 'Show newest only' : 'Show all versions'}
          </Button>
        </Group>
      )}
    </>
  );
}

const settlingMs = 6 * 60_000;
const mostSettling = 5;

/** The latest reads, whose records the account may not have received. Opening an entry settles it: its page shows the records. */
function SettlingReads({ records }: { records: number }) {
  const { get } = useFilters();
  const [from] = useState(() => new Date(serverNow() - settlingMs).toISOString());
  const filter = { kind: 'read', tokenId: get('token'), countyFips: get('county'), from, limit: mostSettling };
  const reads = useAnswer(LedgerDocument, filter);
  return (
    <Section title={`Settling: ${plural(records, 'record')}`}>
      <Text size="sm" mb="xs">
        A read that did not reach you is reversed within six minutes. After that its records are in the list; until then they are here.
      </Text>
      <Loaded what="Your newest reads" answer={reads} placeholder={<Skeleton height={120} />}>
        {({ ledger }) => (
          <DataTable
            label="Settling reads"
            rows={ledger.entries}
            empty="Not yet. Reload the page."
            columns={[
              {
                title: 'Read',
                cell: ({ id, at }) => (
                  <TextLink href={paths.ledgerEntry(id)}>
                    <Timestamp at={at} style="relative" />
                  </TextLink>
                ),
              },
              { title: 'County', cell: requestedCounty },
              { title: 'Records', cell: (entry) => formatCount(entry.records), isNumber: true },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

function Found({ page, isSearch, isFiltered }: { page: FoundPage; isSearch: boolean; isFiltered: boolean }) {
  const { records, total, searched, next } = page;
  return (
    <>
      <DataTable
        label="Records"
        choiceName="records"
        twoLines={(record) => ({
          beside: `${record.county_name}, ${record.state}`,
          below: addressOf(record),
          belowRight: <ReadLink record={record} />,
        })}
        rows={records}
        keyOf={({ parcel_id, release_id }) => `${parcel_id} ${release_id}`}
        empty={
          next ? (
            'No matches so far. Search on.'
          ) : isFiltered ? (
            <NextStep says="No matching records." link="All your records" href={paths.records} />
          ) : (
            <NextStep says="You have no records yet." link="Try a call" href={paths.tryIt} />
          )
        }
        columns={[
          { title: 'Parcel number', cell: ({ apn }) => apn ?? '–', isText: true },
          { title: 'Address of the parcel', cell: addressOf, isText: true },
          { title: 'Owner', cell: ({ owner_name }) => owner_name ?? '–', isText: true },
          { title: 'County', cell: ({ county_name, state }) => `${county_name}, ${state}`, isText: true },
          { title: 'Read', cell: (record) => <ReadLink record={record} /> },
          { title: 'Source date', cell: ({ source_date }) => formatDay(source_date) },
          { title: 'Release', cell: ({ release_id }) => release_id, isNumber: true, isOptional: true },
        ]}
      />
      <CursorPager name="after" firstLabel="First page" next={next} nextLabel={records.length === limit ? 'Next page' : 'Search on'}>
        {isSearch ? `${formatCount(searched)} of ${plural(total, 'record')} searched for this page` : plural(total, 'record')}
      </CursorPager>
    </>
  );
}

const addressOf = ({ situs_address, situs_city }: FoundRecord): string => [situs_address, situs_city].filter(Boolean).join(', ') || '–';

/** The entry of the latest read that returned a record. */
const ReadLink = ({ record: { entryId, readAt, apn } }: { record: FoundRecord }) => (
  <TextLink href={paths.ledgerEntry(entryId)} aria-description={`Entry that returned ${apn}`}>
    <Timestamp at={readAt} />
  </TextLink>
);

/** A record that the account read, as far as the list shows it, and the latest read that returned it. */
type FoundRecord = Record<'parcel_id' | 'county_name' | 'state' | 'entryId' | 'readAt', string> &
  Record<'apn' | 'situs_address' | 'situs_city' | 'owner_name' | 'source_date', string | null> & { release_id: number };

type FoundPage = Omit<BoughtRecordsQuery['boughtRecords'], 'recordsJson' | 'reads'> & { records: FoundRecord[] };

// The server searches 20,000 records a request.
const maxRequests = 5;

/** A page of the records that match. Searches on while none are found, up to 100,000 records: `next` says where it stopped. */
async function fetchFound(variables: BoughtRecordsQueryVariables, signal: AbortSignal): Promise<FoundPage> {
  const records: FoundRecord[] = [];
  let searched = 0;
  let after = variables.after ?? null;
  for (let requests = 1; ; requests++) {
    const limit = variables.limit - records.length;
    const { boughtRecords: page }: BoughtRecordsQuery = await queryPatiently(BoughtRecordsDocument, { ...variables, after, limit });
    signal.throwIfAborted();
    const found = JSON.parse(page.recordsJson) as Omit<FoundRecord, 'entryId' | 'readAt'>[];
    records.push(...found.map((record, i) => ({ ...record, entryId: page.reads[i]!.entryId, readAt: page.reads[i]!.at })));
    searched += page.searched;
    after = page.next;
    if (after === null || records.length === variables.limit || requests === maxRequests) return { ...page, records, searched };
  }
}
