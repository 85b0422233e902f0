-- What to bill a customer: the overage of each closed period in the ledger, less its items on invoices. Negative: to give back.
-- A period closes some minutes after its end, when its last reads are unlikely to be reversed. p_with_open: open periods too.
create or replace function overage_due(p_customer text, p_with_open boolean)
returns table (balance_id uuid, period_start timestamptz, period_end timestamptz, records integer, unit_cents integer)
language sql stable as $$
  select b.id, p.period_start, closing.at, p.records - coalesce(billed.records, 0), coalesce(p.unit_cents, billed.unit_cents)
    from subscription s
    join credit_balance b on b.id = s.balance_id
   cross join lateral overage_by_period(b.id) p
   cross join lateral (select coalesce(p.ended_at, least(b.period_end, b.ends_at)) as at) closing
   cross join lateral (
     select sum(i.records)::integer as records, max(i.unit_cents) as unit_cents from overage_item i
      where i.balance_id = b.id and i.period_start = p.period_start and i.state <> 'missed'
   ) billed
   where s.stripe_customer_id = p_customer and p.records <> coalesce(billed.records, 0)
     and (p_with_open or closing.at + taken_back_within() <= service_now())
$$;
