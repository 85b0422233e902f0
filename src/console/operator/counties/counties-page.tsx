import { Skeleton, Stack } from '@mantine/core';
import { Suspense, useMemo } from 'react';
import { useLocation } from 'wouter';
import { formatCount, formatDay } from '../../format.js';
import { CountyListDocument } from '../../graphql/operations.js';
import { useFilters } from '../../hooks/use-filters.js';
import { mapHeight, mapWidth } from '../../map/county-shapes.js';
import { stateName, stateOptions } from '../../map/states.js';
import { StatusBadge, statusWords } from '../../map/status.js';
import { paths } from '../../paths.js';
import { countyStatuses, kindOf, useHomePage } from '../../public-api.js';
import { Page } from '../../shell/page.js';
import { lazyPage } from '../../shell/page-boundary.js';
import { RowLink, Timestamp } from '../../ui/parts.js';
import { FilterSelect, stateIn } from '../../ui/tables/filter-bar.js';
import { List, useList } from '../../ui/tables/list.js';

const CoverageMap = lazyPage(() => import('../../map/coverage-map.js'));
const sorts = [
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
  const { get } = useFilters();
  const sort = sorts.find(({ value }) => value === get('sort'))?.value ?? 'fips';
  const list = useList(CountyListDocument, { filters, variables: { sort } });
  const started = useHomePage();
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
        <List
          list={list}
          what="counties"
          one="county"
          read={({ counties: { counties: rows, total } }) => ({ rows, total })}
          keyOf={({ fips }) => fips}
          columns={() => [
            { title: 'County', cell: ({ fips, name }) => <RowLink href={paths.adminCounty(fips)}>{name}</RowLink> },
            { title: 'State', cell: (county) => stateName(county.state) },
            { title: 'FIPS', cell: ({ fips }) => fips },
            { title: 'Status', cell: (county) => <StatusBadge status={kindOf(county)} /> },
            { title: 'Records', cell: ({ parcelCount }) => formatCount(parcelCount), isNumber: true },
            { title: 'Source date', cell: ({ sourceDate }) => formatDay(sourceDate) },
            { title: 'Loaded', cell: ({ loadedAt }) => <Timestamp at={loadedAt} /> },
          ]}
          empty="No counties yet."
        >
          <FilterSelect label="Sort by" name="sort" options={sorts} noChoice="FIPS" />
        </List>
      </Stack>
    </Page>
  );
}
