-- What to bill a customer: the overage of each period in the ledger, less its items on invoices. Negative: to give back.
-- is_open: the period is not closed yet. It closes some minutes after its end, when its last reads are unlikely to be reversed.
-- waits_until: until then a draft may come for it. It comes with the period's end, unless the subscription is paused, unpaid or billed by the
-- year. item_count: how many items the period has, those included that no longer count.
create or replace function overage_due(p_customer text)
returns table (
  balance_id uuid, period_start timestamptz, period_end timestamptz, records integer, unit_cents integer, is_open boolean,
  waits_until timestamptz, item_count integer
) language sql stable as $$
  select b.id, p.period_start, closing.at, p.records - coalesce(billed.records, 0), coalesce(p.unit_cents, billed.unit_cents),
         (closing.at + taken_back_within() <= service_now()) is not true, closing.at + interval '3 days', billed.item_count
    from subscription s
    join credit_balance b on b.id = s.balance_id
   cross join lateral overage_by_period(b.id) p
   cross join lateral (select coalesce(p.ended_at, least(b.period_end, b.ends_at)) as at) closing
   cross join lateral (
     select sum(i.records) filter (where i.state <> 'missed')::integer as records, max(i.unit_cents) as unit_cents, count(*)::integer as item_count
       from overage_item i
      where i.balance_id = b.id and i.period_start = p.period_start
   ) billed
   where s.stripe_customer_id = p_customer and p.records <> coalesce(billed.records, 0)
$$;
