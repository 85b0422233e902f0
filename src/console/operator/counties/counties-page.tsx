import { Box, Skeleton } from '@mantine/core';
import { Suspense, useMemo } from 'react';
import { useLocation } from 'wouter';
import { formatCount, formatDay } from '../../format.js';
import { CountyListDocument } from '../../graphql/operations.js';
import { mapHeight, mapWidth } from '../../map/county-shapes.js';
import { stateName, stateOptions } from '../../map/states.js';
import { StatusBadge, statusWords } from '../../map/status.js';
import { paths } from '../../paths.js';
import { countyStatuses, kindOf, useHomePage } from '../../public-api.js';
import { lazyPage } from '../../shell/page-boundary.js';
import { RowLink, Timestamp } from '../../ui/parts.js';
import { FilterSelect, stateIn } from '../../ui/tables/filter-bar.js';
import { listPage } from '../../ui/tables/list.js';

const CoverageMap = lazyPage(() => import('../../map/coverage-map.js'));
const sorts = [
  { value: 'name', label: 'Name' },
  { value: 'state', label: 'State' },
  { value: 'status', label: 'Status' },
  { value: 'records', label: 'Most records first' },
  { value: 'source_date', label: 'Source date, newest first' },
  { value: 'loaded_at', label: 'Loaded, newest first' },
];

/** All counties as a map, and below it as a list. Both link to the page of a county. */
function CountiesMap() {
  const [, navigate] = useLocation();
  const started = useHomePage();
  const mapped = useMemo(
    () => started.data && new Map(started.data.startedCounties.map((county) => [county.fips, county])),
    [started.data],
  );
  return (
    <Box maw={900} mb="lg">
      <Suspense fallback={<Skeleton style={{ aspectRatio: mapWidth / mapHeight }} />}>
        <CoverageMap counties={mapped} onChoose={(fips) => fips && navigate(paths.adminCounty(fips))} />
      </Suspense>
    </Box>
  );
}

export default listPage({
  title: 'Counties',
  Above: CountiesMap,
  document: CountyListDocument,
  filters: [
    { label: 'Name or FIPS', name: 'search' },
    { label: 'Status', name: 'status', options: countyStatuses.map((value) => ({ value, label: statusWords[value].label })) },
    stateIn(stateOptions),
  ],
  variables: (get) => ({ sort: sorts.find(({ value }) => value === get('sort'))?.value ?? 'fips' }),
  what: 'counties',
  one: 'county',
  keyOf: ({ fips }) => fips,
  columns: () => [
    { title: 'County', cell: ({ fips, name }) => <RowLink href={paths.adminCounty(fips)}>{name}</RowLink> },
    { title: 'State', cell: (county) => stateName(county.state) },
    { title: 'FIPS', cell: ({ fips }) => fips },
    { title: 'Status', cell: (county) => <StatusBadge status={kindOf(county)} /> },
    { title: 'Records', cell: ({ parcelCount }) => formatCount(parcelCount), isNumber: true },
    { title: 'Source date', cell: ({ sourceDate }) => formatDay(sourceDate) },
    { title: 'Loaded', cell: ({ loadedAt }) => <Timestamp at={loadedAt} /> },
  ],
  empty: 'No counties yet.',
  children: <FilterSelect label="Sort by" name="sort" options={sorts} noChoice="FIPS" />,
});
