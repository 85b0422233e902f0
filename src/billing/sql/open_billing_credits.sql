-- Credits what a bill could not take back, since a meter that is below zero is billed as zero, and after the last bill there is none.
-- Not before it is known what Stripe has: until then nobody can say what the bills have of it.
create or replace function open_billing_credits() returns void language plpgsql as $$
begin
  -- Servers take turns, so that each sees what the one before has credited.
  perform pg_advisory_xact_lock(hashtextextended('open_billing_credits', 0));
  with ended as (
    select b.id as balance_id, b.period_anchor, overage_price(b) as overage_unit_cents,
           s.id as subscription_id, s.stripe_customer_id, s.ended_at, last_bill_at(b.period_anchor, s.ended_at) as last_bill_at
      from credit_balance b
      join (select u.*, ended_at(u) as ended_at from subscription u) s on s.balance_id = b.id
     where exists (
             select from subscription own join meter_event m on m.balance_id = own.balance_id
              where own.stripe_customer_id = s.stripe_customer_id and m.records < 0 and m.state = 'sent'
           )
       and not exists (select from meter_event m where m.balance_id = b.id and m.state in ('waiting', 'failed'))
  ), bill as (
    select e.balance_id, e.stripe_customer_id, e.overage_unit_cents, sum(m.records) as records
      from ended e
      join subscription own on own.stripe_customer_id = e.stripe_customer_id
      join meter_event m on m.balance_id = own.balance_id and m.state = 'sent' and subscription_billed(own, m) = e.subscription_id
     cross join lateral (
       select billed_at(e.period_anchor, e.ended_at, m) as period_end
     ) p
     where p.period_end = 'infinity'
        or service_now() > case when p.period_end = e.ended_at then e.last_bill_at else p.period_end end + interval '50 minutes'
     group by e.balance_id, e.stripe_customer_id, e.overage_unit_cents, p.period_end
  ), due as (
    select balance_id, stripe_customer_id, overage_unit_cents, -sum(least(records, 0)) as records
      from bill
     group by balance_id, stripe_customer_id, overage_unit_cents
  ), missing as (
    select d.balance_id, d.stripe_customer_id, d.overage_unit_cents,
           d.records - (select coalesce(sum(c.records), 0) from billing_credit c where c.balance_id = d.balance_id) as records
      from due d
  )
  insert into billing_credit (balance_id, stripe_customer_id, records, amount_cents)
  select balance_id, stripe_customer_id, records, records * overage_unit_cents from missing where records > 0;
end $$;
