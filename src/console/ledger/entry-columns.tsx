import type { Terms } from '../../proofs/verifier/verify-ledger.js';
import { formatCents, formatCount, formatUsd, plural } from '../format.js';
import type { EntryRowFragment } from '../graphql/operations.js';
import { Id } from '../ui/id.js';
import { inUtc, TextLink, Timestamp } from '../ui/parts.js';
import type { Column, TwoLines } from '../ui/tables/data-table.js';

/** The columns of every ledger: the time, which links to the entry, and how the entry changed the balance. */
export const entryColumns = (hrefOf: (id: string) => string): Column<EntryRowFragment>[] => [
  {
    title: 'Time',
    cell: ({ id, at }) => (
      <TextLink href={hrefOf(id)} aria-description={`Entry ${id}`}>
        <Timestamp at={at} style="exact" />
      </TextLink>
    ),
  },
  { title: 'Kind', cell: kindOf },
  { title: 'Records', cell: ({ records }) => formatCount(records), isNumber: true },
  { title: 'Credits', cell: ({ credits }) => signed(credits), isNumber: true },
  { title: 'Overage', cell: overageOf, isNumber: true },
  { title: 'Balance after', cell: ({ balanceAfter }) => formatCount(balanceAfter), isNumber: true },
];

/** An entry on a phone: what it moved, and below who did and what that left or cost. */
export const entryInTwoLines = (entry: EntryRowFragment, who: string | null): TwoLines => ({
  beside: entry.tokenId === null ? `${signed(entry.credits)} credits` : plural(entry.records, 'record'),
  below: [kindOf(entry), who, entry.countyFips, reasonOf(entry)].filter(Boolean).join(' · '),
  belowRight: entry.overageRecords === 0 ? `${formatCount(entry.balanceAfter)} left` : `${formatUsd(entry.overageUsd)} overage`,
});

/** Ids, hidden by default. */
export const idColumns: Column<EntryRowFragment>[] = [
  { title: 'Entry', cell: ({ id }) => <Id id={id} what="entry" />, isOptional: true },
  { title: 'Request', cell: ({ requestId }) => (requestId ? <Id id={requestId} what="request" /> : '–'), isOptional: true },
];

export const requestedCounty = ({ countyFips, kind }: Pick<EntryRowFragment, 'countyFips' | 'kind'>): string =>
  countyFips ?? (kind === 'read' || kind === 'replay' ? 'all' : '–');

export const signed = (credits: number): string => (credits > 0 ? `+${formatCount(credits)}` : formatCount(credits));

export const overageOf = ({ overageRecords, overageUsd }: Pick<EntryRowFragment, 'overageRecords' | 'overageUsd'>): string =>
  overageRecords === 0 ? '–' : `${formatCount(overageRecords)} (${formatUsd(overageUsd)})`;

type TokenEvent = { event: 'issued'; secret_sha256: string; at: number } | { event: 'revoked'; at: number };

/** The kind as it is shown: a replay that the console made is no retry of a program. */
export const kindOf = ({ kind, reason }: Pick<EntryRowFragment, 'kind' | 'reason'>): string =>
  kind === 'replay' && reason !== null ? reason : kind;

/** Why an entry was written. Terms and tokens are stored as JSON and said in words. */
export function reasonOf({ kind, reason }: Pick<EntryRowFragment, 'kind' | 'reason'>): string | null {
  if (reason === null || kind === 'replay') return null;
  if (kind === 'terms') return termsInWords(JSON.parse(reason) as Terms);
  return kind === 'token' ? tokenInWords(JSON.parse(reason) as TokenEvent) : reason;
}

function termsInWords(terms: Terms): string {
  const { plan, grant_records: included, overage_unit_cents: cents, overage_cap: cap, ends_at: endsAt, renew_until: paidUntil } = terms;
  const overage =
    cents === null
      ? 'no overage'
      : `then ${formatCents(cents)} per record, ${cap === null ? 'no cap' : `at most ${formatCount(cap)} records`}`;
  return [
    `Plan ${plan}: ${formatCount(included)} records a period, ${overage}.`,
    `The period ends ${momentOf(terms.period_end)}.`,
    paidUntil !== null && `Paid until ${momentOf(paidUntil)}.`,
    endsAt !== null && `The balance ends ${momentOf(endsAt)}.`,
    plan === 'paid' && (terms.is_metered ? 'Billed through a subscription.' : 'Not billed.'),
    terms.is_closed && 'Replaced by a later trial.',
    ...Object.entries(terms.token_caps ?? {}).map(([id, most]) => `Token ${id}: at most ${formatCount(most)} records a period.`),
  ]
    .filter(Boolean)
    .join(' ');
}

const tokenInWords = (token: TokenEvent): string =>
  token.event === 'revoked'
    ? `Revoked ${momentOf(token.at)}.`
    : `Issued ${momentOf(token.at)}. The SHA-256 of its secret is ${token.secret_sha256}.`;

const momentOf = (microseconds: number): string => inUtc(new Date(microseconds / 1000).toISOString());
