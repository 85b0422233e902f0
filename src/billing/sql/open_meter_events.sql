-- Sums up what waits to be reported: one event a customer, and none for a customer that has one under way, so that Stripe is never
-- called twice at once for a customer. An event tells of a run of entries of one balance and one period, and its identifier names them.
create or replace function open_meter_events() returns void language plpgsql as $$
begin
  -- Servers take turns. The statement below sees what the one before has left, since it begins after the lock is held.
  perform pg_advisory_xact_lock(hashtextextended('open_meter_events', 0));
  with waiting as (
    select distinct balance_id from overage_report where meter_event is null
  ), next as (
    select distinct on (s.stripe_customer_id) s.stripe_customer_id, b.id as balance_id, first.period_start,
           least(period_end_after(b.period_anchor, first.period_start), b.ends_at) as period_end
      from waiting w
      join credit_balance b on b.id = w.balance_id
      join subscription s on s.balance_id = b.id
     cross join lateral (
       select e.period_start
         from overage_report r join ledger_entry e on e.balance_id = r.balance_id and e.sequence = entry_sequence(r.entry_id)
        where r.balance_id = b.id and r.meter_event is null
        order by e.sequence
        limit 1
     ) first
     where not exists (select from meter_event m where m.stripe_customer_id = s.stripe_customer_id and m.state = 'waiting')
     order by s.stripe_customer_id, b.period_start
  ), run as (
    select n.*, r.*
      from next n
     cross join lateral (
       select r.entry_id, r.records, r.at, e.sequence
         from overage_report r join ledger_entry e on e.balance_id = r.balance_id and e.sequence = entry_sequence(r.entry_id)
        where r.balance_id = n.balance_id and r.meter_event is null and e.period_start = n.period_start
        order by e.sequence
        limit 10000
     ) r
  ), opened as (
    insert into meter_event (identifier, balance_id, stripe_customer_id, period_start, entries, records, counted_at, state)
    select format('%s:%s-%s', balance_id, min(sequence), max(sequence)), balance_id, stripe_customer_id, period_start, count(*), sum(records),
           -- within the period, also for a read taken back after its end, and should our clock be behind Stripe's
           greatest(least(max(at), period_end - interval '1 second'), period_start),
           -- reads that were taken back before anybody was told of them
           case when sum(records) = 0 then 'void' else 'waiting' end
      from run
     group by balance_id, stripe_customer_id, period_start, period_end
    returning identifier, balance_id
  )
  update overage_report r
     set meter_event = o.identifier
    from run join opened o using (balance_id)
   where r.balance_id = run.balance_id and r.entry_id = run.entry_id;
end $$;
