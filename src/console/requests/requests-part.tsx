import { Box, Button, Code, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { inlineParts } from '../docs/rich-text.js';
import { formatCount, lastDays, ownTimeZone, plural, shortId } from '../format.js';
import { useAnswer } from '../graphql/client.js';
import { type OutcomeRowFragment, type RequestRowFragment, RequestsDocument } from '../graphql/operations.js';
import { useFilters } from '../hooks/use-filters.js';
import { paths } from '../paths.js';
import { type ChartSeries, DailyChart, stackDays } from '../ui/bar-chart.js';
import { Id } from '../ui/id.js';
import { Loaded, StateBadge, TextLink, Timestamp, type Tone } from '../ui/parts.js';
import { type Column, DataTable, type TwoLines } from '../ui/tables/data-table.js';
import { DayFields, dayFilters, EmptyList, type Filter, FilterBar, fipsCode, tokenIn } from '../ui/tables/filter-bar.js';
import { CursorPager } from '../ui/tables/pager.js';

const limit = 50;
const keptDays = 30;
const served = 'served';

/**
 * The calls of an account: what came of them day by day, why some were refused, and each call. Filters and page are in the URL.
 * @param accountId null: the signed-in customer's own
 */
export function RequestsPart({ accountId }: { accountId: string | null }) {
  const { get } = useFilters();
  const { filter, faults, isFaulty } = useRequestFilter();
  const query = useAnswer(RequestsDocument, { accountId, ...filter, limit, timeZone: ownTimeZone }, { pause: isFaulty });
  const days = lastDays(keptDays).filter((day) => day >= (get('from') ?? '') && day <= (get('to') ?? '9'));
  const codes = [...new Set(query.data?.requestOutcomes.flatMap(({ error }) => error?.code ?? []))].sort();
  const filters: Filter[] = [
    tokenIn(query.data?.tokens),
    { label: 'Result', name: 'result', options: [{ value: served, label: 'Served' }, { value: 'refused', label: 'Refused' }, ...codes] },
    fipsCode,
    { label: 'Request ID', name: 'request', placeholder: 'X-Request-Id of the answer', width: 260 },
  ];
  const callsPath = (result: string) => {
    const chosen = { ...(filter.tokenId && { token: filter.tokenId }), result };
    return accountId === null ? paths.requestsOf(chosen) : paths.adminRequestsOf(accountId, chosen);
  };

  return (
    <Stack gap="lg">
      <FilterBar filters={filters} errorOf={(name) => faults[name]}>
        <DayFields />
        <Button variant="default" mt={25} loading={query.isLoading} onClick={query.refetch}>
          Refresh
        </Button>
      </FilterBar>
      {!isFaulty && (
        <Loaded what="The requests" answer={query} placeholder={<Skeleton height={620} />}>
          {({ requests: { requests, older }, requestOutcomes }) => {
            const series = seriesOf(days, requestOutcomes);
            return (
              <Stack gap="lg">
                <DailyChart title="Requests per day" days={days} series={series} />
                <Unlisted outcomes={requestOutcomes} result={filter.result} />
                <ErrorsPart outcomes={requestOutcomes} callsPath={callsPath} />
                <div>
                  <DataTable
                    label="List of requests"
                    choiceName="requests"
                    twoLines={requestInTwoLines}
                    rows={requests}
                    empty={
                      <EmptyList what="requests" filters={[...filters, ...dayFilters]}>
                        No requests in the last 30 days. {accountId === null && <TextLink href={paths.tryIt}>Try a call</TextLink>}
                      </EmptyList>
                    }
                    columns={requestColumns(accountId === null ? paths.ledgerEntry : paths.adminLedgerEntry)}
                  />
                  <CursorPager name="before" firstLabel="Newest" next={older} nextLabel="Older" />
                </div>
              </Stack>
            );
          }}
        </Loaded>
      )}
    </Stack>
  );
}

/** Served calls first, in the same colour on every page; then the errors. */
function seriesOf(days: string[], outcomes: OutcomeRowFragment[]): ChartSeries[] {
  const rows = outcomes.map(({ date, error, calls }) => ({ date, key: error?.code ?? '', label: error?.code ?? '', records: calls }));
  const [ofServed, ofErrors] = [rows.filter(({ key }) => key === ''), rows.filter(({ key }) => key !== '')];
  return [...stackDays(days, ofServed, 'Served'), ...(ofErrors.length > 0 ? stackDays(days, ofErrors, undefined, 5) : [])];
}

/** Says how many calls the list does not have, and why. */
function Unlisted({ outcomes, result }: { outcomes: OutcomeRowFragment[]; result: string | null }) {
  const count = outcomes
    .filter(({ error }) => !result || result === (error ? error.code : served) || (result === 'refused' && error))
    .reduce((sum, { unlisted }) => sum + unlisted, 0);
  if (count === 0) return null;
  return (
    <Text size="sm" role="note">
      {plural(count, 'request')} {count === 1 ? 'was' : 'were'} not recorded one by one, only counted: the list has at most{' '}
      {formatCount(10_000)} served and {formatCount(10_000)} refused requests a day, and none that came while our database was away for
      long.
    </Text>
  );
}

const requestId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The filters of the calls from the URL, and what is wrong with those that a user types. Such a one would find nothing. */
function useRequestFilter() {
  const { get, common, countyFault } = useFilters();
  const id = get('request');
  const faults: Record<string, string | undefined> = {
    request: id !== null && !requestId.test(id) ? 'A request ID looks like 01a212ac-770c-798c-a708-86bc00000002.' : undefined,
    county: countyFault,
  };
  const filter = { ...common, result: get('result'), id, before: get('before') };
  return { filter, faults, isFaulty: Object.values(faults).some(Boolean) };
}

type Row = RequestRowFragment;

/** @param entryPath where the ledger entry of a call is */
const requestColumns = (entryPath: (id: string) => string): Column<Row>[] => [
  { title: 'Time', cell: ({ at }) => <Timestamp at={at} style="exact" /> },
  { title: 'Result', cell: (row) => <Result {...row} /> },
  { title: 'Request', cell: ({ method, url }) => `${method} ${url}`, isText: true },
  { title: 'Records', cell: ({ records }) => formatCount(records), isNumber: true },
  { title: 'Took', cell: ({ latencyMs }) => formatLatency(latencyMs), isNumber: true },
  { title: 'Token', cell: ({ tokenName }) => tokenName || '–', isText: true },
  { title: 'County', cell: ({ countyFips }) => countyFips ?? '–' },
  {
    title: 'Ledger entry',
    cell: ({ entryId }) =>
      entryId ? (
        <TextLink href={entryPath(entryId)} aria-label={`Ledger entry ${shortId(entryId)}`}>
          {shortId(entryId)}
        </TextLink>
      ) : (
        '–'
      ),
  },
  { title: 'Request ID', cell: ({ id }) => <Id id={id} what="request" />, isOptional: true },
];

/** The few columns for an overview. @param entryPath where the ledger entry of a call is */
export const briefRequestColumns = (entryPath: (id: string) => string): Column<Row>[] =>
  requestColumns(entryPath).filter(({ title, isOptional }) => title !== 'County' && title !== 'Token' && !isOptional);

/** A call on a phone. */
export const requestInTwoLines = ({ status, error, method, url, records }: Row): TwoLines => ({
  beside: <Result status={status} error={null} />,
  below: `${method} ${url}`,
  belowRight: error ? error.code : plural(records, 'record'),
});

/** Status and error code. What the error means stands once on the page, in `ErrorsPart`. */
const Result = ({ status, error }: Pick<Row, 'status' | 'error'>) => (
  <StateBadge state={error ? `${status} ${error.code}` : String(status)} tone={toneOf(status)} />
);

const toneOf = (status: number): Tone => (status < 400 ? 'good' : status < 500 ? 'warning' : 'bad');

const formatLatency = (ms: number): string => (ms < 10 ? `${ms.toFixed(1)} ms` : `${formatCount(Math.round(ms))} ms`);

interface ErrorsPartProps {
  outcomes: OutcomeRowFragment[];
  /** The list of the calls that were refused for this reason. */
  callsPath: (code: string) => string;
}

/** Why calls were refused, the most frequent reason first, each with what to do about it. Nothing if none was refused. */
export function ErrorsPart({ outcomes, callsPath }: ErrorsPartProps) {
  const errors = errorsIn(outcomes);
  return (
    errors.length > 0 && (
      <SimpleGrid component="ul" minColWidth="min(100%, 24rem)" spacing="sm" m={0} p={0} aria-label="Errors and what to do about them">
        {errors.map(({ code, calls, meaning, cure }) => (
          <Box
            key={code}
            component="li"
            pl="sm"
            style={{ listStyle: 'none', borderInlineStart: '3px solid var(--mantine-color-orange-6)' }}
          >
            <Code fw={700}>{code}</Code>{' '}
            <TextLink href={callsPath(code)} fz="sm">
              {plural(calls, 'request')}
            </TextLink>
            <Text size="sm" maw="72ch">
              {inlineParts(`${meaning} ${cure}`)}
            </Text>
          </Box>
        ))}
      </SimpleGrid>
    )
  );
}

function errorsIn(outcomes: OutcomeRowFragment[]) {
  const byCode = new Map<string, { code: string; calls: number; meaning: string; cure: string }>();
  for (const { error, calls } of outcomes) {
    if (!error) continue;
    const known = byCode.get(error.code);
    byCode.set(error.code, { ...error, calls: calls + (known?.calls ?? 0) });
  }
  return [...byCode.values()].sort((one, other) => other.calls - one.calls);
}
