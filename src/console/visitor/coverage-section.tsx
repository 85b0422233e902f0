import { Box, Paper, Skeleton, Text, Title } from '@mantine/core';
import { lazy, Suspense, useCallback, useMemo } from 'react';
import { useSearchParams } from 'wouter';
import type { MappedCounty } from '../map/county-caption.js';
import { stateOfCounty } from '../map/states.js';
import { StatusLegend } from '../map/status-legend.js';
import { formatCount } from '../parts/format.js';
import { LoadFailed } from '../parts/load-failed.js';
import { useRemote } from '../parts/use-remote.js';
import { type County, fetchCoverage, fetchStartedCounties } from '../public-api.js';
import classes from './coverage-section.module.css';
import { StateCounties } from './state-counties.js';
import { StatesTable } from './states-table.js';

const CoverageMap = lazy(() => import('../map/coverage-map.js'));

/** The map with the totals beside it, and below it the same as a table: all states, or the counties of one (`?state=`). */
export function CoverageSection() {
  const coverage = useRemote(fetchCoverage);
  const started = useRemote(fetchStartedCounties);
  const [search, setSearch] = useSearchParams();
  const state = search.get('state')?.toUpperCase();

  const mapped = useMemo(() => new Map((started.data ?? []).map((county) => [county.fips, toMapped(county)])), [started.data]);
  const showState = useCallback(
    (code: string | null) => setSearch((previous) => withState(previous, code), { replace: true }),
    [setSearch],
  );

  return (
    <Box component="section" id="coverage" aria-labelledby="coverage-title">
      <Title order={2} id="coverage-title" mb="md">
        Coverage
      </Title>
      <div className={classes.columns}>
        <div className={classes.map}>
          <Suspense fallback={<Skeleton className={classes.mapSpace} />}>
            <CoverageMap counties={mapped} onChoose={(fips) => showState(stateOfCounty(fips))} />
          </Suspense>
        </div>
        <Paper withBorder p="md" className={classes.totals}>
          {coverage.error ? (
            <LoadFailed what="The totals" onRetry={coverage.reload} />
          ) : (
            <>
              <Text fz={30} fw={700} lh={1.2} className={classes.number}>
                {coverage.data ? formatCount(coverage.data.totals.parcels) : '…'}
              </Text>
              <Text c="dimmed" mb="md">
                records in {coverage.data ? formatCount(coverage.data.totals.counties) : '…'} counties and equivalents
              </Text>
              <StatusLegend counts={coverage.data?.totals.by_status} />
            </>
          )}
        </Paper>
      </div>
      {state ? (
        <StateCounties state={state} onClose={() => showState(null)} />
      ) : (
        <StatesTable states={coverage.data?.states} error={coverage.error} onRetry={coverage.reload} onChoose={showState} />
      )}
    </Box>
  );
}

const toMapped = (county: County): MappedCounty => ({
  name: county.name,
  status: county.status,
  parcelCount: county.parcel_count,
  sourceDate: county.source_date,
});

function withState(search: URLSearchParams, code: string | null): URLSearchParams {
  const next = new URLSearchParams(search);
  if (code) next.set('state', code);
  else next.delete('state');
  return next;
}
