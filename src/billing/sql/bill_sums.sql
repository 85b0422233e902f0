-- What the bills of a customer's subscriptions have of further records, as far as Stripe has them: each bill by the end of its period (see
-- billed_at), and those of its records that were counted at its very end or later.
-- A customer who reads all day long has 40,000 events a day. What was read before the end of its own subscription is summed up by days that
-- begin with the period, so that each lies within one; only of the few others is asked one by one.
create or replace function bill_sums(customer text)
returns table (subscription_id text, billed_at timestamptz, records bigint, late_records bigint) language sql stable as $$
  with own as materialized (
    select s as subscription, s.id, s.balance_id, coalesce(b.period_anchor, s.created_at) as period_anchor, ended_at(s) as ended_at
      from subscription s left join credit_balance b on b.id = s.balance_id
     where s.stripe_customer_id = customer
  ), day as (
    select own.id, own.period_anchor, own.ended_at, m.bill_ends_at, date_bin('1 day', m.counted_at, own.period_anchor) as begins_at,
           sum(m.records) as records
      from own join meter_event m on m.balance_id = own.balance_id
     where m.state = 'sent' and m.records > 0 and (m.counted_at >= own.ended_at) is not true
     group by 1, 2, 3, 4, 5
  ), counted as (
    select id, least(coalesce(bill_ends_at, period_end_at(period_anchor, begins_at)), ended_at) as billed_at, records, false as is_late
      from day
     union all
    select billed.id, billed_at(billed.period_anchor, billed.ended_at, m), m.records, m.counted_at >= billed.ended_at
      from own
      join meter_event m on m.balance_id = own.balance_id
      join own billed on billed.id = subscription_billed(own.subscription, m)
     where m.state = 'sent' and (m.records <= 0 or m.counted_at >= own.ended_at)
  )
  select c.id, c.billed_at, sum(c.records)::bigint, coalesce(sum(c.records) filter (where c.is_late), 0)::bigint
    from counted c
   group by 1, 2
$$;
