-- Credits a customer what a bill could not take back, since a meter that is below zero is billed as zero, and after the last bill there is
-- none. Not before it is known what Stripe has: until then nobody can say what the bills have of it.
create or replace function open_credits_of(customer text) returns void language plpgsql as $$
begin
  -- Servers take turns, so that each sees what the one before has credited.
  perform pg_advisory_xact_lock(hashtextextended('open_credits_of ' || customer, 0));
  with decided as materialized (
    select s.id, s.balance_id, b.period_anchor, ended_at(s) as ended_at
      from subscription s join credit_balance b on b.id = s.balance_id
     where s.stripe_customer_id = customer and not is_undecided(s)
  ), sent as (
    select subscription_billed(own, m) as subscription_id, m as event
      from subscription own join meter_event m on m.balance_id = own.balance_id
     where own.stripe_customer_id = customer and m.state = 'sent'
  ), bill as (
    select d.balance_id, p.period_end, sum((sent.event).records) as records,
           case when p.period_end = d.ended_at then last_bill_at(d.period_anchor, d.ended_at) else p.period_end end as made_at
      from decided d
      join sent on sent.subscription_id = d.id
     cross join lateral (
       select billed_at(d.period_anchor, d.ended_at, sent.event) as period_end offset 0 -- else Postgres asks anew at each mention
     ) p
     group by d.balance_id, d.period_anchor, d.ended_at, p.period_end
  ), missing as (
    select balance_id,
           -sum(least(records, 0)) - (
             select coalesce(sum(c.records), 0) from billing_credit c where c.balance_id = bill.balance_id and not c.is_of_last_bill
           ) as records
      from bill
     where period_end = 'infinity' or service_now() > made_at + interval '50 minutes'
     group by balance_id
  )
  insert into billing_credit (balance_id, stripe_customer_id, records, amount_cents)
  select b.id, customer, m.records, m.records * overage_price(b)
    from missing m join credit_balance b on b.id = m.balance_id
   where m.records > 0;
end $$;
