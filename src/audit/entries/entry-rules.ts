import { functionBodies } from '../../database/migrating/sql-files.js';
import { plans } from '../../ledger/plans.js';

/**
 * An invariant of entries and of the balance that they add up to, as SQL about one entry `e` with its balance `b`, its token `t`, the release
 * `r` of its first segment, and `a`, the balance as an earlier audit left it. `e` also has
 * - `before_sequence`, `before_hash`, `before_at`, `before_balance`, `before_overage`: of the entry before it; null for the first
 * - `is_start`: it was checked before, and is here for the next one
 * - `is_last`: it is the last one of its balance
 */
export interface EntryRule {
  invariant: string;
  /** Which entries are checked and counted. */
  of: string;
  isBroken: string;
  says: string;
}

/** The rule that reads every entry. */
export const chainInvariant = 'every entry is as it was written, and follows the one before it';
/** The rule that also looks for balances without entries. */
export const lastInvariant = 'every balance is as its last entry leaves it';
/** The rule that also looks for balances that are gone. */
export const auditedInvariant = 'every balance goes on from where an earlier audit left it';

// Lookups are `(select … limit 1)`: Postgres may read the whole ledger for an `exists`, to have the answers for all entries at once.
// No rule calls a function of ours: a superuser may have replaced it. The hash is the text of entry_hash() as this version ships it.
const hash = /return (sha256[\s\S]*);\s*end/.exec((await functionBodies()).find(({ name }) => name === 'entry_hash')!.body)![1]!;
export const sequenceOf = (id: string) => `('x' || right(${id}::text, 8))::bit(32)::integer`;
const idStart = (at: string) => `substring(int8send(floor(extract(epoch from ${at}) * 1000)::bigint), 3)`;
export const micros = (at: string) => `(extract(epoch from ${at}) * 1000000)::bigint`;

/** SQL for the terms in force before an entry. */
const termsBefore = `(
  select l.reason::jsonb from ledger_entry l where l.balance_id = e.balance_id and l.kind = 'terms' and l.sequence < e.sequence
   order by l.sequence desc limit 1)`;

/** The period of a balance that it was in before an entry, or is in after its last one. */
const lastGrant = (condition: string) =>
  `(select max(g.period_start) from ledger_entry g where g.balance_id = e.balance_id and g.kind = 'grant'${condition})`;
const grantsBefore = lastGrant(' and g.sequence < e.sequence');

const isRead = `e.kind = 'read'`;
const isKeyed = `e.kind = 'read' and e.idempotency_key is not null`;
const named = 'e.id, e.balance_id';

export const entryRules: EntryRule[] = [
  {
    invariant: 'balances and their running totals follow one another without a break',
    of: 'true',
    isBroken: `
      not e.is_start and e.sequence <> coalesce(e.before_sequence, 0) + 1
      -- lookups rely on both
      or substring(uuid_send(e.id), 13) <> int4send(e.sequence) or substring(uuid_send(e.id), 1, 6) <> ${idStart('e.at')}
      or not e.is_start and e.balance_after <> coalesce(e.before_balance, 0) + e.credits
      or not e.is_start and e.overage_after <> case e.kind when 'grant' then 0 else coalesce(e.before_overage, 0) + e.overage_records end
         -- a late reversal belongs to an earlier period
         and not (e.kind = 'reversal' and e.overage_after = e.before_overage and e.period_start < ${grantsBefore})`,
    says: `format('entry %s of balance %s: number %s at %s follows number %s; %s credits on %s leave %s, %s overage records on %s make %s', ${named},
                  e.sequence, e.at, coalesce(e.before_sequence, 0), e.credits, coalesce(e.before_balance, 0), e.balance_after, e.overage_records,
                  coalesce(e.before_overage, 0), e.overage_after)`,
  },
  {
    invariant: chainInvariant,
    of: 'true',
    isBroken: `
      e.hash <> ${hash}
      or not e.is_start and e.previous_hash <> coalesce(e.before_hash, decode(repeat('00', 32), 'hex'))
      or e.is_start and e.hash <> e.start_hash`,
    says: `case when e.hash <> ${hash} then format('entry %s of balance %s does not have the hash of what it says', ${named})
                else format('entry %s of balance %s does not follow the one before it', ${named}) end`,
  },
  {
    invariant: auditedInvariant,
    of: 'true',
    isBroken: `
      e.sequence = a.entries and (e.hash <> a.head or e.balance_after <> a.remaining or e.overage_after <> a.overage_records)
      or e.is_last and e.sequence < a.entries`,
    says: `format('entry %s of balance %s is not the number %s with which an earlier audit ended', ${named}, a.entries)`,
  },
  {
    invariant: lastInvariant,
    of: 'e.is_last',
    isBroken: `b.id is not null and (e.sequence, e.hash, e.at, e.balance_after, e.overage_after)
               is distinct from (b.entry_count, b.chain_head, b.last_entry_at, b.remaining, b.overage_records)`,
    says: `format('balance %s ends with entry number %s, has %s credits and %s overage records; its last entry is number %s and leaves %s and %s', b.id,
                  b.entry_count, b.remaining, b.overage_records, e.sequence, e.balance_after, e.overage_after)`,
  },
  {
    invariant: 'no entry is dated before the one before it, nor before its period',
    of: 'true',
    isBroken: 'not e.is_start and e.at < e.before_at or e.at < e.period_start',
    says: `format('entry %s of balance %s is dated %s, its period begins %s and the entry before it is dated %s', ${named}, e.at, e.period_start, e.before_at)`,
  },
  {
    invariant: 'a period begins when the one before it has ended, or where a subscription starts anew',
    of: `e.kind = 'grant'`,
    isBroken: `
      ${micros('e.period_start')} < (${termsBefore} ->> 'period_end')::bigint and not coalesce((
        select (n.reason::jsonb ->> 'period_anchor')::bigint in (${micros('e.period_start')}, (n.reason::jsonb ->> 'period_end')::bigint)
          from ledger_entry n where n.balance_id = e.balance_id and n.sequence = e.sequence + 1 and n.kind = 'terms'), false)`,
    says: `format('entry %s of balance %s grants a period from %s on, and the one before it had not ended', ${named}, e.period_start)`,
  },
  {
    invariant: 'no read is later than the end of its period or balance',
    of: `e.kind = 'terms'`,
    // The last read under these terms: times never go back.
    isBroken: `
      (
        select ${micros('l.at')} from ledger_entry l
         where l.balance_id = e.balance_id and l.kind = 'read' and l.sequence > e.sequence and l.sequence < coalesce((
           select n.sequence from ledger_entry n where n.balance_id = e.balance_id and n.kind = 'terms' and n.sequence > e.sequence
            order by n.sequence limit 1), 2147483647)
         order by l.sequence desc limit 1
      ) >= least((e.reason::jsonb ->> 'period_end')::bigint, (e.reason::jsonb ->> 'ends_at')::bigint)`,
    says: `format('entry %s of balance %s says when its period ends, and a read under it is later', ${named})`,
  },
  {
    invariant: 'of terms only the caps, times and payment change, and a price only to that of the plan',
    of: `e.kind = 'terms'`,
    isBroken: `
      exists (
        select from jsonb_each(${termsBefore}) o full join jsonb_each(e.reason::jsonb) n using (key)
         where o.value is distinct from n.value and e.sequence > 2 and (
           key in ('owner', 'plan', 'grant_records', 'is_metered')
           or key = 'overage_unit_cents' and n.value is distinct from '${plans.paid.overageUnitCents}'
           -- only a subscription moves these: a trial has one period, and an operator's balance does not end
           or key in ('ends_at', 'period_anchor', 'renew_until') and not b.is_metered))`,
    says: `format('entry %s of balance %s changes what nobody agreed on: %s', ${named}, e.reason)`,
  },
  {
    invariant: 'every entry belongs to a balance and, if a token made it, to a token of that balance',
    of: 'true',
    isBroken: `
      b.id is null or e.token_id is null and e.kind in ('read', 'replay') or e.token_id is not null and t.id is null`,
    says: `case when b.id is null then format('entry %s is of balance %s, which does not exist', ${named})
                else format('entry %s of balance %s was made by token %s, which the balance does not have', ${named}, e.token_id) end`,
  },
  {
    invariant: 'every read charged exactly the records of its segments',
    of: isRead,
    isBroken: `
      e.records <> case when cardinality(e.segments) = 3 then e.segments[3] else (
        select coalesce(sum(e.segments[i]), 0) from generate_series(3, cardinality(e.segments), 3) i) end`,
    says: `format('entry %s charged %s records, its segments are %s', e.id, e.records, e.segments)`,
  },
  {
    invariant: 'a reversal takes back exactly what its read charged',
    of: `e.kind = 'reversal'`,
    isBroken: `
      not coalesce((
        select o.kind = 'read' and e.records = -o.records and e.period_start = o.period_start
               -- overage is returned before credits
               and -e.overage_records between 0 and o.records
               and (e.credits - e.overage_records = o.records
                    -- included records of a past period or of a replaced trial do not come back
                    or e.credits = 0 and (b.is_closed or coalesce(${grantsBefore} > e.period_start, false))
                    -- a trial never exceeds its grant
                    or b.plan = 'trial' and e.credits between 0 and -o.credits and e.balance_after = b.grant_records)
          from ledger_entry o where o.balance_id = e.balance_id and o.sequence = ${sequenceOf('e.reverses')} and o.id = e.reverses), false)`,
    says: `format('reversal %s does not undo entry %s', e.id, e.reverses)`,
  },
  {
    invariant: 'a replay repeats a read of its balance, record for record',
    of: `e.kind = 'replay'`,
    isBroken: `
      not coalesce((
        select o.kind = 'read' and e.records = o.records and e.segments = o.segments and e.token_id is not distinct from o.token_id
               and (o.idempotency_key is not null or coalesce(e.reason = 'shown in console', false))
          from ledger_entry o where o.balance_id = e.balance_id and o.sequence = ${sequenceOf('e.repeats')} and o.id = e.repeats), false)`,
    says: `format('replay %s does not repeat entry %s', e.id, e.repeats)`,
  },
  {
    invariant: 'a key buys once: of its reads one stands at the most',
    of: isKeyed,
    isBroken: `
      (
        select true from ledger_entry o
         where o.balance_id = e.balance_id and o.token_id = e.token_id and o.idempotency_key = e.idempotency_key and o.kind = 'read'
           and o.sequence <> e.sequence
           and not exists (select from ledger_entry v where v.balance_id = e.balance_id and v.reverses in (e.id, o.id)) limit 1)`,
    says: `format('key %s of token %s was charged by entry %s, and by another', e.idempotency_key, e.token_id, e.id)`,
  },
  {
    invariant: 'no read was taken back that was delivered by a replay',
    of: `e.kind <> 'read'`,
    isBroken: `
      e.kind = 'reversal' and (select true from ledger_entry o where o.balance_id = e.balance_id and o.repeats = e.reverses limit 1)
      or e.kind = 'replay' and (select true from ledger_entry o where o.balance_id = e.balance_id and o.reverses = e.repeats limit 1)`,
    says: `format('entry %s was reversed, and repeated', coalesce(e.reverses, e.repeats))`,
  },
  {
    invariant: 'an adjustment says who made it, and why, as the activity log does',
    of: `e.kind = 'adjustment'`,
    isBroken: `
      trim(e.reason) = '' or not coalesce((
        select true from admin_action a
         where a.target = e.balance_id::text and a.action = 'adjust balance' and a.after ->> 'entry' = e.id::text
           and a.actor = e.actor and a.reason = e.reason limit 1), false)`,
    says: `format('adjustment %s of balance %s by %s, because of %s: the activity log knows of none', ${named}, coalesce(e.actor, 'nobody'),
                  coalesce(e.reason, 'nothing'))`,
  },
  {
    invariant: 'overage costs its price',
    of: 'true',
    isBroken: 'e.period_start = b.period_start and e.overage_cents <> e.overage_records::bigint * coalesce(b.overage_unit_cents, 0)',
    says: `format('entry %s of balance %s charges %s cents for %s overage records, at %s cents each', ${named}, e.overage_cents, e.overage_records,
                  coalesce(b.overage_unit_cents, 0))`,
  },
  {
    invariant: 'a balance is in the period of its last grant, and each grant is what it grants a period',
    of: `e.kind = 'grant' or e.is_last`,
    isBroken: `e.kind = 'grant' and e.credits <> b.grant_records or e.is_last and b.period_start <> ${lastGrant('')}`,
    says: `format('balance %s is in the period from %s and grants %s, its last grant is of the one from %s, and entry %s is of %s credits', b.id,
                  b.period_start, b.grant_records, ${lastGrant('')}, e.id, e.credits)`,
  },
  {
    invariant: 'every segment lies within its release, which was published, and of the county that was asked for',
    of: isRead,
    // Nearly every read has one segment.
    isBroken: `
      cardinality(e.segments) > 0 and case when cardinality(e.segments) = 3
        then ${isOutside('e.segments[2]', 'e.segments[3]')}
        else exists (
          select from generate_series(3, cardinality(e.segments), 3) i left join parcel_release r on r.id = e.segments[i - 2]
           where ${isOutside('e.segments[i - 1]', 'e.segments[i]')}) end`,
    says: `format('entry %s%s read what no published release has: %s', e.id, ' for county ' || e.county_fips, e.segments)`,
  },
];

/** SQL for whether a run of records lies outside of release `r`. */
function isOutside(first: string, count: string): string {
  return `(r.id is null or r.published_at is null or ${first} < 1 or ${count} < 1 or ${first}::bigint + ${count} - 1 > r.loaded_count
           or e.county_fips <> r.county_fips)`;
}
