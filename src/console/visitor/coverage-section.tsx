import { Box, Button, Group, Paper, Skeleton, Title } from '@mantine/core';
import { lazy, Suspense, useCallback, useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';
import type { HomePageQuery } from '../graphql/operations.js';
import type { Remote } from '../hooks/use-remote.js';
import { paths } from '../paths.js';
import { LoadFailed } from '../ui/failures.js';
import classes from './coverage-section.module.css';
import { CoverageTotals } from './coverage-totals.js';
import { StateCounties } from './state-counties.js';
import { StatesTable } from './states-table.js';

const CoverageMap = lazy(() => import('../map/coverage-map.js'));

/**
 * The map with the totals beside it, and the same data as a table below: all states, or the counties of one (`?state=`). The county
 * whose card is open on the map is also in the URL (`?county=`), so that Back closes it.
 */
export function CoverageSection({ page }: { page: Remote<HomePageQuery> }) {
  const [search, setSearch] = useSearchParams();
  const state = search.get('state')?.toUpperCase();
  const county = search.get('county') ?? undefined;
  const onlyRecords = search.get('with') === 'records';
  const started = useMemo(() => page.data && new Map(page.data.startedCounties.map((each) => [each.fips, each])), [page.data]);

  const choose = useCallback(
    (name: 'state' | 'county' | 'with', value: string | null) => {
      const next = (previous: URLSearchParams) => {
        const changed = new URLSearchParams(previous);
        if (value) changed.set(name, value);
        else changed.delete(name);
        return changed;
      };
      // Opening another card replaces the history entry. Opening the first card adds one.
      setSearch(next, { replace: name === 'with' || (name === 'county' && county !== undefined) });
    },
    [setSearch, county],
  );

  return (
    <Box component="section" id="coverage" aria-labelledby="coverage-title">
      <Title order={2} id="coverage-title" mb="md">
        Coverage
      </Title>
      <div className={classes.columns}>
        <div className={classes.map}>
          <Suspense fallback={<Skeleton className={classes.mapSpace} />}>
            <CoverageMap
              counties={started}
              state={state}
              chosen={county}
              onChoose={(fips) => choose('county', fips)}
              onZoom={(code) => choose('state', code)}
            />
          </Suspense>
        </div>
        <Paper withBorder p="md">
          {page.error && !page.data && <LoadFailed what="The totals" onRetry={page.reload} />}
          {page.data ? <CoverageTotals page={page.data} /> : !page.error && <Skeleton height={310} />}
        </Paper>
      </div>
      <Group mb="xs">
        {state && (
          <Button variant="default" size="compact-sm" component={Link} href={onlyRecords ? paths.countiesWithRecords : paths.allStates}>
            All states
          </Button>
        )}
        <Button
          variant={onlyRecords ? 'filled' : 'default'}
          size="compact-sm"
          aria-pressed={onlyRecords}
          onClick={() => choose('with', onlyRecords ? null : 'records')}
        >
          Only with records
        </Button>
      </Group>
      {state ? (
        <StateCounties key={state} state={state} onlyRecords={onlyRecords} />
      ) : (
        <StatesTable
          states={page.data?.coverage.states}
          onlyRecords={onlyRecords}
          error={page.data ? undefined : page.error}
          onRetry={page.reload}
        />
      )}
    </Box>
  );
}
