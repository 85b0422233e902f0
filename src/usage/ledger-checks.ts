import { type AuditCheck, chainInvariant } from './audit.js';

/** What holds of balances, tokens and entries. Read it as the definition of "the bill is exact". */
export const ledgerChecks: AuditCheck[] = [
  {
    invariant: 'the credits of a balance’s entries add up to what remains',
    sql: `
      select count(*)::integer as checked,
             min(format('balance %s: entries add up to %s, remaining is %s', b.id, coalesce(l.credits, 0), b.remaining))
               filter (where coalesce(l.credits, 0) <> b.remaining) as first_break
        from credit_balance b
        left join (select balance_id, sum(credits) as credits from ledger_entry group by balance_id) l on l.balance_id = b.id`,
  },
  {
    invariant: 'balances and their running totals follow one another without a break',
    sql: `
      select count(*)::integer as checked,
             (array_agg(format('entry %s of balance %s: sequence %s, balance %s after %s%s', id, balance_id, sequence, balance_after, before, to_char(credits, 'SG999999999')) order by id)
               filter (where balance_after <> before + credits or sequence <> position))[1] as first_break
        from (
          select id, balance_id, sequence, credits, balance_after,
                 coalesce(lag(balance_after) over w, 0) as before, row_number() over w as position
            from ledger_entry window w as (partition by balance_id order by sequence)
        ) e`,
  },
  {
    invariant: 'no balance is negative',
    sql: `
      select count(*)::integer as checked,
             min(format('balance %s has %s credits and %s overage records', id, remaining, overage_records))
               filter (where remaining < 0 or overage_records < 0) as first_break
        from credit_balance`,
  },
  {
    invariant: chainInvariant,
    sql: `
      select count(*)::integer as checked,
             (array_agg(broken order by balance_id, sequence) filter (where broken is not null))[1] as first_break
        from (
          select e.balance_id, e.sequence,
                 case
                   when e.hash <> ledger_hash(e.*::ledger_entry) then format('entry %s of balance %s was changed', e.id, e.balance_id)
                   when e.previous_hash <> coalesce(lag(e.hash) over w, decode(repeat('00', 32), 'hex')) then format('entry %s of balance %s does not follow the one before it', e.id, e.balance_id)
                   when lead(e.id) over w is null and (e.hash <> b.chain_head or e.sequence <> b.entry_count) then format('balance %s: entries after %s are missing', e.balance_id, e.id)
                 end as broken
            from ledger_entry e join credit_balance b on b.id = e.balance_id
          window w as (partition by e.balance_id order by e.sequence)
        ) c`,
  },
  {
    invariant: 'every balance with a chain head has its entries',
    sql: `
      select count(*)::integer as checked,
             min(format('balance %s should have %s entries and has none', b.id, b.entry_count))
               filter (where b.entry_count > 0 and not exists (select from ledger_entry e where e.balance_id = b.id)) as first_break
        from credit_balance b`,
  },
  {
    invariant: 'every read charged exactly the records of its segments',
    sql: `
      select count(*)::integer as checked,
             (array_agg(format('entry %s charged %s records, its segments hold %s', id, records, held) order by id) filter (where held <> records))[1] as first_break
        from (
          select e.id, e.records, coalesce((select sum(e.segments[i]) from generate_series(3, coalesce(array_length(e.segments, 1), 0), 3) i), 0) as held
            from ledger_entry e where e.kind = 'read'
        ) r`,
  },
  {
    invariant: 'a reversal takes back exactly what its read charged',
    sql: `
      select count(*)::integer as checked,
             (array_agg(format('reversal %s does not undo entry %s', r.id, r.reverses) order by r.id)
               filter (where o.kind <> 'read' or r.records <> -o.records or r.overage_records <> -o.overage_records or r.balance_id <> o.balance_id
                          or (r.credits <> -o.credits and r.credits <> 0
                              -- a trial gets no more back than it has room for
                              and not (b.plan = 'trial' and r.credits between 0 and -o.credits and r.balance_after = b.grant_records))))[1] as first_break
        from ledger_entry r join ledger_entry o on o.balance_id = r.balance_id and o.id = r.reverses join credit_balance b on b.id = r.balance_id`,
  },
  {
    invariant: 'overage costs its price, and of each period it adds up to what the balance says',
    sql: `
      select count(*)::integer as checked,
             min(format('balance %s: entries of the period have %s overage records (%s cents), the balance %s', b.id, coalesce(l.records, 0), coalesce(l.cents, 0), b.overage_records))
               filter (where coalesce(l.records, 0) <> b.overage_records
                          or coalesce(l.cents, 0) <> b.overage_records::bigint * coalesce(b.overage_unit_cents, 0)) as first_break
        from credit_balance b
        left join (
          select balance_id, period_start, sum(overage_records) as records, sum(overage_cents) as cents from ledger_entry group by balance_id, period_start
        ) l on l.balance_id = b.id and l.period_start = b.period_start`,
  },
];
