import { formatCount, plural, shortId } from '../format/format.js';
import type { RequestRowFragment } from '../graphql/operations.js';
import { Id } from '../ui/id.js';
import { TextLink } from '../ui/links.js';
import { StateBadge, type Tone } from '../ui/state-badge.js';
import type { Column, TwoLines } from '../ui/tables/data-table.js';
import { Timestamp } from '../ui/timestamp.js';

type Row = RequestRowFragment;

/** @param entryPath where the ledger entry of a call is */
export const requestColumns = (entryPath: (id: string) => string): Column<Row>[] => [
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
        <TextLink href={entryPath(entryId)} aria-label={`Ledger entry ${entryId}`}>
          {shortId(entryId)}
        </TextLink>
      ) : (
        '–'
      ),
  },
  { title: 'Request ID', cell: ({ id }) => <Id id={id} what="request" />, isOptional: true },
];

/** What an overview has room for. @param entryPath where the ledger entry of a call is */
export const briefRequestColumns = (entryPath: (id: string) => string): Column<Row>[] =>
  requestColumns(entryPath).filter(({ title, isOptional }) => title !== 'County' && title !== 'Token' && !isOptional);

/** A call on a phone. */
export const requestInTwoLines = ({ status, error, method, url, records }: Row): TwoLines => ({
  beside: <Result status={status} error={null} />,
  below: `${method} ${url}`,
  belowRight: error ? error.code : plural(records, 'record'),
});

/** Status and error code. What the error means stands once on the page, in `ErrorsPart`. */
export const Result = ({ status, error }: Pick<Row, 'status' | 'error'>) => (
  <StateBadge state={error ? `${status} ${error.code}` : String(status)} tone={toneOf(status)} />
);

const toneOf = (status: number): Tone => (status < 400 ? 'good' : status < 500 ? 'warning' : 'bad');

const formatLatency = (ms: number): string => (ms < 10 ? `${ms.toFixed(1)} ms` : `${formatCount(Math.round(ms))} ms`);
