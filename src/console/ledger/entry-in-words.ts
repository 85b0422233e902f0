import { formatCents, formatCount } from '../format/format.js';
import type { EntryRowFragment } from '../graphql/operations.js';
import { inUtc } from '../ui/timestamp.js';

/** What decides a balance's bill, as its ledger has it. Times are microseconds since 1970. */
interface Terms {
  plan: string;
  grant_records: number;
  overage_unit_cents: number | null;
  overage_cap: number | null;
  is_metered: boolean;
  is_closed: boolean;
  period_end: number;
  ends_at: number | null;
  renew_until: number | null;
  token_caps?: Record<string, number>;
}

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
