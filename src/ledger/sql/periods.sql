-- Counts months from the anchor, as Stripe does: 31 January, 28 February, 31 March.
create or replace function period_boundary(anchor timestamptz, months integer) returns timestamptz language sql immutable as $$
  select ((anchor at time zone 'UTC') + make_interval(months => months)) at time zone 'UTC'
$$;

-- How many periods have ended since the anchor.
create or replace function whole_months(anchor timestamptz, moment timestamptz) returns integer language plpgsql immutable as $$
declare v_months integer := greatest(0, (extract(year from age(moment, anchor)) * 12 + extract(month from age(moment, anchor)))::integer - 1);
begin
  while period_boundary(anchor, v_months + 1) <= moment loop
    v_months := v_months + 1;
  end loop;
  return v_months;
end $$;

-- Closes the period of b and opens the given one: the rest of the old grant expires, and the new grant is added, then the new terms.
create or replace function open_period(inout b credit_balance, p_start timestamptz, p_end timestamptz) language plpgsql as $$
declare
  e ledger_entry;
  r record;
begin
  if b.remaining > 0 then
    e.kind := 'expiry';
    e.credits := -b.remaining;
    r := append_entry(b, e);
    b := r.b;
  end if;
  b.period_start := p_start;
  b.period_end := p_end;
  b.overage_records := 0;
  b.token_records := null;
  update credit_balance set period_start = p_start, period_end = p_end where id = b.id;
  e := null;
  e.kind := 'grant';
  e.credits := b.grant_records;
  r := append_entry(b, e);
  b := record_terms(r.b);
end $$;

-- A period begins when the one before ends, or later, and never ahead of its time. Only a new anchor ends one early: a subscription that
-- starts anew in Stripe begins a period at its anchor, or a trial that ends at it.
create or replace function refuse_early_period() returns trigger language plpgsql as $$
begin
  raise exception 'balance %: no period may begin at %, since one lasts until %', new.id, new.period_start, old.period_end
    using errcode = 'check_violation';
end $$;

-- No read sets this column, so reads pay nothing. The hour is for Stripe's clock.
create or replace trigger credit_balance_period_follows before update of period_start on credit_balance
  for each row when (
    new.period_start > old.period_start and (
      new.period_start < old.period_end and new.period_anchor not in (new.period_start, new.period_end)
      or new.period_start > service_now() + interval '1 hour'
    )
  ) execute function refuse_early_period();

-- Opens the current period of a paid balance that has not ended, if its last period is over. At most one period is opened ahead of its
-- payment: a period that would begin after `renew_until` waits for the invoice before it.
create or replace function open_due_period(inout b credit_balance) language plpgsql as $$
declare
  v_now timestamptz := service_now();
  v_months integer;
  v_start timestamptz;
begin
  if b.plan <> 'paid' or v_now < b.period_end or b.ends_at <= v_now then return; end if;
  v_months := whole_months(b.period_anchor, v_now);
  v_start := greatest(period_boundary(b.period_anchor, v_months), b.period_end);
  if b.renew_until < v_start then return; end if;
  b := open_period(b, v_start, period_boundary(b.period_anchor, v_months + 1));
end $$;

-- Opens the due periods of an account's balances, as a read would, so that people see the current one.
-- Locks in the order of the balances' ids, like all functions that lock several.
create or replace function open_due_periods(p_account_id text) returns void language plpgsql as $$
declare b credit_balance;
begin
  for b in
    select * from credit_balance
     where account_id = p_account_id and plan = 'paid' and period_end <= service_now()
     order by id for update
  loop
    perform open_due_period(b);
  end loop;
end $$;

-- Until when a balance opens periods, for token_rejection. -infinity if its period is over and the current one may not be opened (see
-- open_due_period), even if periods in between were never opened.
create or replace function renewable_until(
  p_period_anchor timestamptz, p_period_end timestamptz, p_renew_until timestamptz
) returns timestamptz language plpgsql stable as $$
declare v_now constant timestamptz := service_now();
begin
  if p_period_end <= v_now and p_renew_until < period_boundary(p_period_anchor, whole_months(p_period_anchor, v_now)) then
    return '-infinity';
  end if;
  return p_renew_until;
end $$;

-- The overage of each period of a balance, as the ledger has it: what its reads came to when the next period was opened, less what was taken
-- back of it since. Never by all of its entries: those may be millions, and a reversal has seconds.
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
      where l.balance_id = b.id and l.sequence > p.sequence and l.sequence < coalesce(p.next_grant, b.entry_count + 1) and l.overage_records > 0
        and o.records > 0
      order by l.sequence desc limit 1
   ) price on true
   where b.id = p_balance_id
$$;
