import { Box, Button, Group, Paper, Skeleton, Text, Title } from '@mantine/core';
import { Suspense, useCallback, useLayoutEffect, useMemo, useRef } from 'react';
import { Link, useSearchParams } from 'wouter';
import { formatCount, formatDay, plural } from '../format.js';
import type { HomePageQuery } from '../graphql/operations.js';
import type { Answer } from '../hooks/use-remote.js';
import { stateName } from '../map/states.js';
import { StatusBadge, StatusLegend, statusWords } from '../map/status.js';
import { paths } from '../paths.js';
import { coverageKinds, kindOf, useStatePage } from '../public-api.js';
import { lazyPage } from '../shell/page-boundary.js';
import { Loaded, RowLink, Section, TextLink } from '../ui/parts.js';
import { DataTable } from '../ui/tables/data-table.js';

const CoverageMap = lazyPage(() => import('../map/coverage-map.js'));

/**
 * The map with the totals beside it, and the same data as a table below: all states, or the counties of one (`?state=`). The county
 * whose card is open on the map is also in the URL (`?county=`), so that Back closes it.
 */
export function CoverageSection({ page }: { page: Answer<HomePageQuery> }) {
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
    <Section id="coverage" title="Coverage" size="h2">
      <Group align="flex-start" gap="lg" mb="lg">
        <Box flex={1} miw={{ base: '100%', md: 0 }}>
          {/* As high as the map, to avoid layout shift. */}
          <Suspense fallback={<Skeleton style={{ aspectRatio: '975 / 610' }} />}>
            <CoverageMap
              counties={started}
              state={state}
              chosen={county}
              onChoose={(fips) => choose('county', fips)}
              onZoom={(code) => choose('state', code)}
            />
          </Suspense>
        </Box>
        <Paper withBorder p="md" w={{ base: '100%', md: '20rem' }} style={{ fontVariantNumeric: 'tabular-nums' }}>
          <Loaded what="The totals" answer={page} placeholder={<Skeleton height={310} />}>
            {(data) => <CoverageTotals page={data} />}
          </Loaded>
        </Paper>
      </Group>
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
        <Loaded what="The states" answer={page} placeholder={<Skeleton height="26rem" />}>
          {({ coverage }) => <StatesTable states={coverage.states} onlyRecords={onlyRecords} />}
        </Loaded>
      )}
    </Section>
  );
}

/** How many counties are ready, with the legend of the map. Sample records do not count. */
function CoverageTotals({ page: { coverage, startedCounties } }: { page: HomePageQuery }) {
  const { counties, parcels, byStatus } = coverage.totals;
  const withRecords = byStatus.loaded + byStatus.partial;
  const samples = startedCounties.filter(({ isSample }) => isSample);
  return (
    <>
      <Text fz={30} fw={700} lh={1.2}>
        {readyInWords(byStatus)}
      </Text>
      <Text c="dimmed" mb="md">
        {withRecords === 0
          ? `${formatCount(counties)} counties and equivalents to come`
          : `${plural(parcels, 'record')}; ${formatCount(counties - withRecords)} not yet`}
      </Text>
      <StatusLegend counts={byStatus} />
      {samples.map(({ fips, name, parcelCount }) => (
        <Text key={fips} size="sm" mt="sm">
          <TextLink href={paths.county(fips)}>{name}</TextLink> has {formatCount(parcelCount)} invented records for trying the API. It does
          not count as coverage.
        </Text>
      ))}
    </>
  );
}

function readyInWords({ loaded, partial }: HomePageQuery['coverage']['totals']['byStatus']): string {
  if (loaded + partial === 0) return 'No county ready yet';
  if (loaded === 0) return `${plural(partial, 'county', 'counties')} ready in part`;
  return `${plural(loaded, 'county', 'counties')} ready${partial > 0 ? `, ${formatCount(partial)} in part` : ''}`;
}

type StateRow = HomePageQuery['coverage']['states'][number];

interface StatesTableProps {
  states: StateRow[];
  /** Leaves out states without records. */
  onlyRecords: boolean;
}

/** Coverage by state, sorted by name, with links to the counties of a state. Statuses that no county has are left out. */
function StatesTable({ states, onlyRecords }: StatesTableProps) {
  const occurring = coverageKinds.filter((kind) => states.some(({ byStatus }) => byStatus[kind] > 0));
  return (
    <DataTable
      label="Coverage by state"
      height="26rem"
      rows={states
        .filter(({ parcels }) => !onlyRecords || parcels > 0)
        .toSorted((one, other) => stateName(one.state).localeCompare(stateName(other.state)))}
      keyOf={({ state }) => state}
      empty="No county has records yet."
      twoLines={({ parcels, counties, byStatus }) => ({
        beside: plural(parcels, 'record'),
        below: `${plural(counties, 'county', 'counties')}: ${occurring
          .filter((kind) => byStatus[kind] > 0)
          .map((kind) => `${formatCount(byStatus[kind])} ${statusWords[kind].label.toLowerCase()}`)
          .join(', ')}`,
        belowRight: null,
      })}
      columns={[
        {
          title: 'State',
          cell: ({ state }) => <RowLink href={paths.stateCounties(state)}>{stateName(state)}</RowLink>,
        },
        { title: 'Records', cell: ({ parcels }) => formatCount(parcels), isNumber: true },
        { title: 'Counties', cell: ({ counties }) => formatCount(counties), isNumber: true },
        ...occurring.map((kind) => ({
          title: statusWords[kind].label,
          cell: (row: StateRow) => formatCount(row.byStatus[kind]),
          isNumber: true,
        })),
      ]}
    />
  );
}

interface StateCountiesProps {
  state: string;
  /** Leaves out counties without records. */
  onlyRecords: boolean;
}

/** The counties of one state, those with records first, each with a link to its page. */
function StateCounties({ state, onlyRecords }: StateCountiesProps) {
  const title = useRef<HTMLHeadingElement>(null);
  // A link to a state moves the focus to its name.
  useLayoutEffect(() => {
    if (state && window.location.hash === '#counties') title.current?.focus();
  }, [state]);
  const page = useStatePage(state);
  return (
    <>
      <Title order={3} size="h4" id="counties" ref={title} tabIndex={-1} mb="xs">
        {stateName(state)}
      </Title>
      <Loaded what={`The counties of ${stateName(state)}`} answer={page} placeholder={<Skeleton height="24rem" />}>
        {({ counties: { counties } }) => (
          <DataTable
            label={`Counties of ${stateName(state)}`}
            height="24rem"
            rows={counties
              .filter(({ parcelCount }) => !onlyRecords || parcelCount > 0)
              .toSorted((one, other) => Number(other.parcelCount > 0) - Number(one.parcelCount > 0) || one.name.localeCompare(other.name))}
            keyOf={({ fips }) => fips}
            empty={counties.length ? `No county of ${stateName(state)} has records yet.` : 'There is no state with this code.'}
            columns={[
              {
                title: 'County',
                cell: ({ fips, name }) => <RowLink href={paths.county(fips)}>{name}</RowLink>,
              },
              { title: 'FIPS', cell: ({ fips }) => fips },
              { title: 'Status', cell: (county) => <StatusBadge status={kindOf(county)} /> },
              { title: 'Records', cell: ({ parcelCount }) => formatCount(parcelCount), isNumber: true },
              { title: 'Source date', cell: ({ sourceDate }) => formatDay(sourceDate) },
            ]}
          />
        )}
      </Loaded>
    </>
  );
}
