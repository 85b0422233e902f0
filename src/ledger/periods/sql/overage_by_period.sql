-- The overage of each period of a balance, as the ledger has it: what its reads came to when the next period was opened, less what was taken
-- back of it since. Never by all of its entries: those may be millions (see reverse_entry).
-- ended_at: when the next period was opened; null for the present one. unit_cents: what its last overage record cost; null if it has none.
create or replace function overage_by_period(p_balance_id uuid)
returns table (period_start timestamptz, ended_at timestamptz, records integer, unit_cents integer) language sql stable as $$
  select p.period_start, p.ended_at, o.records, price.unit_cents
    from credit_balance b
   cross join lateral (
     select g.period_start, g.sequence, lead(g.period_start) over w as ended_at, lead(g.sequence) over w as next_grant
       from ledger_entry g where g.balance_id = b.id and g.kind = 'grant'
     window w as (order by g.sequence)
   ) p
   cross join lateral (
     select case when p.next_grant is null then b.overage_records else (
              select l.overage_after from ledger_entry l where l.balance_id = b.id and l.sequence = p.next_grant - 1
            ) + coalesce((
              select sum(v.overage_records) from ledger_entry v
               where v.balance_id = b.id and v.sequence > p.next_grant and v.period_start = p.period_start
                 and v.kind <> 'read' and v.reverses is not null
            ), 0)::integer end as records
   ) o
    left join lateral (
     select (l.overage_cents / l.overage_records)::integer as unit_cents from ledger_entry l
      where l.balance_id = b.id and l.sequence > p.sequence and (l.sequence < p.next_grant) is not false and l.overage_records > 0
        and o.records > 0
      order by l.sequence desc limit 1
   ) price on true
   where b.id = p_balance_id
$$;
