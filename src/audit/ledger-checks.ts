import { type BooksCheck, checkOfAll, checkOfEntries, streamedCheckOfEntries } from '../ledger/books-check.js';

/** The check that reads every entry. */
export const chainInvariant = 'every entry is as it was written, and follows the one before it';

// The entries of each balance from $1 on, and the entry before them, which they follow.
const chains = `
  with chain as (
    select balance_id, min(sequence) - 1 as start from ledger_entry where at >= $1::timestamptz group by balance_id
  ), link as (
    select e.*, e::ledger_entry as entry, e.sequence = c.start as is_start,
           lag(e.hash) over w as hash_before, lag(e.sequence) over w as sequence_before, lag(e.balance_after) over w as balance_before,
           lag(e.overage_after) over w as overage_before
      from chain c join ledger_entry e on e.balance_id = c.balance_id and e.sequence >= c.start
    window w as (partition by e.balance_id order by e.sequence)
  )`;

/** Invariants of balances and entries. With token-checks.ts they define "the bill is exact". */
export const ledgerChecks: BooksCheck[] = [
  checkOfAll(
    'the credits of a balance’s entries add up to what remains',
    `select count(*)::integer as checked,
            min(format('balance %s: entries add up to %s, remaining is %s', b.id, coalesce(l.credits, 0), b.remaining))
              filter (where coalesce(l.credits, 0) <> b.remaining) as first_break
       from credit_balance b
       left join (select balance_id, sum(credits) as credits from ledger_entry group by balance_id) l on l.balance_id = b.id`,
  ),
  streamedCheckOfEntries(
    'balances and their running totals follow one another without a break',
    `${chains}
     select case
              when is_start then null
              when sequence <> coalesce(sequence_before, 0) + 1
                then format('entry %s of balance %s: number %s follows %s', id, balance_id, sequence, coalesce(sequence_before, 0))
              -- lookups rely on both
              when entry_sequence(id) <> sequence or entry_time(id) <> date_trunc('milliseconds', at)
                then format('entry %s of balance %s: number %s at %s is not what its id says', id, balance_id, sequence, at)
              when balance_after <> coalesce(balance_before, 0) + credits
                then format('entry %s of balance %s: %s credits on %s leave %s', id, balance_id, credits, coalesce(balance_before, 0), balance_after)
              when overage_after <> case kind when 'grant' then 0 else coalesce(overage_before, 0) + overage_records end
                   -- a late reversal belongs to an earlier period
                   and not (kind = 'reversal' and overage_after = overage_before)
                then format('entry %s of balance %s: %s overage records on %s make %s', id, balance_id, overage_records, coalesce(overage_before, 0), overage_after)
            end as broken
       from link`,
  ),
  checkOfAll(
    'no balance is negative',
    `select count(*)::integer as checked,
            min(format('balance %s has %s credits and %s overage records', id, remaining, overage_records))
              filter (where remaining < 0 or overage_records < 0) as first_break
       from credit_balance`,
  ),
  streamedCheckOfEntries(
    chainInvariant,
    `${chains}
     select case
              when hash <> ledger_hash(entry) then format('entry %s of balance %s was changed', id, balance_id)
              when not is_start and previous_hash <> coalesce(hash_before, decode(repeat('00', 32), 'hex'))
                then format('entry %s of balance %s does not follow the one before it', id, balance_id)
            end as broken
       from link`,
  ),
  checkOfAll(
    'every balance ends with the entry that it knows as its last',
    `select count(*)::integer as checked,
            min(format('balance %s should end with entry number %s', b.id, b.entry_count))
              filter (where e.hash is distinct from b.chain_head
                         or exists (select from ledger_entry l where l.balance_id = b.id and l.sequence > b.entry_count)) as first_break
       from credit_balance b left join ledger_entry e on e.balance_id = b.id and e.sequence = b.entry_count`,
  ),
  checkOfEntries(
    'every entry belongs to a balance and, if a token made it, to a token of that balance',
    `select count(*)::integer as checked,
            (array_agg(case when b.id is null then format('entry %s is of balance %s, which does not exist', e.id, e.balance_id)
                            else format('entry %s of balance %s was made by token %s, which the balance does not have', e.id, e.balance_id, e.token_id) end
                       order by e.id)
              filter (where b.id is null or (e.token_id is null and e.kind in ('read', 'replay')) or (e.token_id is not null and t.id is null)))[1]
              as first_break
       from ledger_entry e
       left join credit_balance b on b.id = e.balance_id
       left join api_token t on t.balance_id = e.balance_id and t.id = e.token_id
      where e.at >= $1::timestamptz`,
  ),
  checkOfEntries(
    'every read charged exactly the records of its segments',
    `select count(*)::integer as checked,
            (array_agg(format('entry %s charged %s records, its segments hold %s', id, records, held) order by id) filter (where held <> records))[1] as first_break
       from (
         select e.id, e.records, coalesce((select sum(e.segments[i]) from generate_series(3, coalesce(array_length(e.segments, 1), 0), 3) i), 0) as held
           from ledger_entry e where e.kind = 'read' and e.at >= $1::timestamptz
       ) r`,
  ),
  checkOfEntries(
    'a reversal takes back exactly what its read charged',
    `select count(*)::integer as checked,
            (array_agg(format('reversal %s does not undo entry %s', r.id, r.reverses) order by r.id)
              filter (where o.id is null or o.kind <> 'read' or r.records <> -o.records or r.period_start <> o.period_start
                         -- overage is returned before credits
                         or -r.overage_records not between 0 and o.records
                         or (r.credits - r.overage_records <> o.records
                             -- included records of a past period or of a replaced trial do not come back
                             and not (r.credits = 0 and (b.is_closed or exists (
                               select from ledger_entry g
                                where g.balance_id = r.balance_id and g.kind = 'grant' and g.period_start > r.period_start and g.sequence < r.sequence
                             )))
                             -- a trial never exceeds its grant
                             and not (b.plan = 'trial' and r.credits between 0 and -o.credits and r.balance_after = b.grant_records))))[1]
              as first_break
       from ledger_entry r
       left join ledger_entry o on o.balance_id = r.balance_id and o.sequence = entry_sequence(r.reverses) and o.id = r.reverses
       left join credit_balance b on b.id = r.balance_id
      where r.kind = 'reversal' and r.at >= $1::timestamptz`,
  ),
  checkOfEntries(
    'a replay repeats a read of its balance, record for record',
    `select count(*)::integer as checked,
            (array_agg(format('replay %s does not repeat entry %s', p.id, p.repeats) order by p.id)
              filter (where o.id is null or o.kind <> 'read' or p.records <> o.records or p.segments <> o.segments
                         or p.token_id is distinct from o.token_id))[1] as first_break
       from ledger_entry p
       left join ledger_entry o on o.balance_id = p.balance_id and o.sequence = entry_sequence(p.repeats) and o.id = p.repeats
      where p.kind = 'replay' and p.at >= $1::timestamptz`,
  ),
  checkOfEntries(
    'a key buys once: of its reads one stands at the most',
    `select count(*)::integer as checked,
            min(format('key %s of token %s was charged by %s reads', idempotency_key, token_id, standing)) filter (where standing > 1) as first_break
       from (
         select e.token_id, e.idempotency_key, count(*) filter (where r.id is null) as standing
           from ledger_entry e left join ledger_entry r on r.balance_id = e.balance_id and r.reverses = e.id
          where e.kind = 'read' and e.idempotency_key is not null
          group by e.balance_id, e.token_id, e.idempotency_key
         having max(e.at) >= $1::timestamptz
       ) k`,
  ),
  checkOfEntries(
    'no read was taken back that was delivered by a replay',
    `select count(*)::integer as checked,
            (array_agg(format('entry %s was reversed by %s, and repeated by %s', r.reverses, r.id, p.id) order by r.id)
              filter (where p.id is not null))[1] as first_break
       from ledger_entry r
       left join ledger_entry p on p.balance_id = r.balance_id and p.repeats = r.reverses
      where r.kind = 'reversal' and greatest(r.at, p.at) >= $1::timestamptz`,
  ),
  checkOfEntries(
    'an adjustment says who made it, and why',
    `select count(*)::integer as checked,
            (array_agg(format('adjustment %s of balance %s has no %s', id, balance_id, case when trim(coalesce(actor, '')) = '' then 'actor' else 'reason' end) order by id)
              filter (where trim(coalesce(actor, '')) = '' or trim(coalesce(reason, '')) = ''))[1] as first_break
       from ledger_entry where kind = 'adjustment' and at >= $1::timestamptz`,
  ),
  checkOfAll(
    'overage costs its price, and of each period it adds up to what the balance says',
    `select count(*)::integer as checked,
            min(format('balance %s: entries of the period have %s overage records (%s cents), the balance %s', b.id, coalesce(l.records, 0), coalesce(l.cents, 0), b.overage_records))
              filter (where coalesce(l.records, 0) <> b.overage_records
                         or coalesce(l.cents, 0) <> b.overage_records::bigint * coalesce(b.overage_unit_cents, 0)) as first_break
       from credit_balance b
       left join (
         select balance_id, period_start, sum(overage_records) as records, sum(overage_cents) as cents from ledger_entry group by balance_id, period_start
       ) l on l.balance_id = b.id and l.period_start = b.period_start`,
  ),
  checkOfAll(
    'a balance is in the period of its last grant, and each grant is what it grants a period',
    `select count(*)::integer as checked,
            min(format('balance %s is in the period from %s and grants %s, its last grant is of the one from %s, its grants are of %s to %s',
                       b.id, b.period_start, b.grant_records, g.period_start, g.least, g.most))
              filter (where g.period_start <> b.period_start or g.least <> b.grant_records or g.most <> b.grant_records) as first_break
       from credit_balance b
       join (
         select balance_id, max(period_start) as period_start, min(credits) as least, max(credits) as most
           from ledger_entry where kind = 'grant' group by balance_id
       ) g on g.balance_id = b.id`,
  ),
  // Uses the wall clock, as reverse_abandoned does. A row is written with its entry: in one that came later, somebody wants a delivered read
  // reversed.
  checkOfAll(
    'no read waits for its delivery or its reversal longer than a minute',
    `select count(*)::integer as checked,
            min(case when e.id is null then format('request %s of balance %s names no read', u.request_id, u.balance_id)
                     when not r.is_written_together then format('entry %s of balance %s of %s waits only since %s', u.entry_id, u.balance_id, e.at, u.spent_at)
                     else format('entry %s of balance %s waits since %s', u.entry_id, u.balance_id, u.spent_at) end)
              filter (where u.entry_id is not null and e.id is null or not r.is_written_together
                         or u.spent_at < clock_timestamp() - interval '1 minute') as first_break
       from undelivered_read u
       left join ledger_entry e
         on e.balance_id = u.balance_id and e.sequence = entry_sequence(u.entry_id) and e.id = u.entry_id and e.kind = 'read'
      cross join lateral (
        -- by two clocks: tests move only one
        select abs(extract(epoch from (u.spent_at - clock_timestamp()) - (e.at - service_now()))) < 10 as is_written_together
      ) r`,
  ),
];
