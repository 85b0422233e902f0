import { NativeSelect, Skeleton, Stack } from '@mantine/core';
import { lazy, Suspense, useMemo } from 'react';
import { useQuery } from 'urql';
import { useLocation } from 'wouter';
import { formatCount, formatDay } from '../../format/format.js';
import { refusalOf } from '../../graphql/client.js';
import { Loaded } from '../../graphql/loaded.js';
import { CountyListDocument } from '../../graphql/operations.js';
import { useFilters } from '../../hooks/use-filters.js';
import { useRemote } from '../../hooks/use-remote.js';
import { mapHeight, mapWidth } from '../../map/county-shapes.js';
import { stateName, stateOptions } from '../../map/states.js';
import { StatusBadge, statusWords } from '../../map/status.js';
import { paths } from '../../paths.js';
import { countyStatuses, fetchHomePage, kindOf } from '../../public-api.js';
import { Page } from '../../shell/page.js';
import { RowLink } from '../../ui/links.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { EmptyList, FilterBar, stateIn } from '../../ui/tables/filter-bar.js';
import { Pager } from '../../ui/tables/pager.js';
import { Timestamp } from '../../ui/timestamp.js';

const CoverageMap = lazy(() => import('../../map/coverage-map.js'));
const pageSize = 50;
const sorts = [
  { value: 'fips', label: 'FIPS' },
  { value: 'name', label: 'Name' },
  { value: 'state', label: 'State' },
  { value: 'status', label: 'Status' },
  { value: 'records', label: 'Most records first' },
  { value: 'source_date', label: 'Source date, newest first' },
  { value: 'loaded_at', label: 'Loaded, newest first' },
];

const filters = [
  { label: 'Name or FIPS', name: 'search' },
  { label: 'Status', name: 'status', options: countyStatuses.map((value) => ({ value, label: statusWords[value].label })) },
  stateIn(stateOptions),
];

/** All counties as a map and as a list. Both link to the page of a county. */
export default function CountiesPage() {
  const [, navigate] = useLocation();
  const { get, setFilter, page } = useFilters();
  const status = get('status');
  const state = get('state');
  const sort = sorts.find(({ value }) => value === get('sort'))?.value ?? 'fips';
  const [query, reload] = useQuery({
    query: CountyListDocument,
    variables: { status, state, search: get('search'), sort, limit: pageSize, offset: (page - 1) * pageSize },
  });
  const started = useRemote(fetchHomePage);
  const mapped = useMemo(
    () => started.data && new Map(started.data.startedCounties.map((county) => [county.fips, county])),
    [started.data],
  );

  return (
    <Page title="Counties">
      <Stack gap="lg">
        <Suspense fallback={<Skeleton maw={900} style={{ aspectRatio: mapWidth / mapHeight }} />}>
          <div style={{ maxWidth: 900 }}>
            <CoverageMap counties={mapped} onChoose={(fips) => fips && navigate(paths.adminCounty(fips))} />
          </div>
        </Suspense>
        <FilterBar filters={filters} errorOf={(name) => refusalOf(query.error, name)}>
          <NativeSelect
            label="Sort by"
            value={sort}
            data={sorts}
            onChange={(event) => setFilter('sort', event.currentTarget.value === 'fips' ? null : event.currentTarget.value)}
          />
        </FilterBar>
        <Loaded what="The counties" query={query} onRetry={reload} placeholder={<Skeleton height={900} />}>
          {({ counties }) => (
            <div>
              <DataTable
                label="Counties"
                rows={counties.counties}
                keyOf={({ fips }) => fips}
                empty={
                  <EmptyList what="counties" filters={filters}>
                    No counties yet.
                  </EmptyList>
                }
                columns={[
                  {
                    title: 'County',
                    cell: ({ fips, name }) => <RowLink href={paths.adminCounty(fips)}>{name}</RowLink>,
                  },
                  { title: 'State', cell: (county) => stateName(county.state) },
                  { title: 'FIPS', cell: ({ fips }) => fips },
                  { title: 'Status', cell: (county) => <StatusBadge status={kindOf(county)} /> },
                  { title: 'Records', cell: ({ parcelCount }) => formatCount(parcelCount), isNumber: true },
                  { title: 'Source date', cell: ({ sourceDate }) => (sourceDate ? formatDay(sourceDate) : '–') },
                  { title: 'Loaded', cell: ({ loadedAt }) => (loadedAt ? <Timestamp at={loadedAt} /> : '–') },
                ]}
              />
              <Pager total={counties.total} pageSize={pageSize} what="counties" one="county" />
            </div>
          )}
        </Loaded>
      </Stack>
    </Page>
  );
}
