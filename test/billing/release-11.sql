-- Until when what is counted lands on a subscription's last bill. Stripe makes it at the end of a period; that of a subscription which was
-- ended within its period we make ourselves (last-bill.ts), two hours later. One that ended in the second of its beginning ended within it.
create or replace function last_bill_at(anchor timestamptz, ended_at timestamptz) returns timestamptz language plpgsql immutable as $$
begin
  if period_end_at(anchor, greatest(anchor, ended_at - interval '1 second')) > ended_at then return ended_at + interval '2 hours'; end if;
  return ended_at;
end $$;
-- The end of the period on whose bill an event is that Stripe has; infinity: on none, as it was taken back after the last one. What was
-- reported too late for Stripe's last bill is on the one that we make (last-bill.ts), which waits for all that was read.
-- ended_at: when the subscription ended; null while it has not.
create or replace function billed_at(anchor timestamptz, ended_at timestamptz, m meter_event) returns timestamptz language plpgsql immutable as $$
declare
  period_end constant timestamptz := coalesce(m.bill_ends_at, period_end_at(anchor, m.counted_at));
  last_bill_at timestamptz;
begin
  if ended_at is null or period_end < ended_at then return period_end; end if;
  if m.records > 0 then return ended_at; end if;
  last_bill_at := last_bill_at(anchor, ended_at);
  if (case when last_bill_at > ended_at then m.opened_at else m.counted_at end) < last_bill_at then return ended_at; end if;
  return 'infinity';
end $$;
-- What a further record of a balance costs, or did before its price was taken away.
create or replace function overage_price(b credit_balance) returns integer language plpgsql stable as $$
begin
  return coalesce(b.overage_unit_cents, (
    select max(l.overage_cents / l.overage_records) from ledger_entry l where l.balance_id = b.id and l.overage_records > 0
  ));
end $$;
-- The subscription on whose bills an event of `own` is that Stripe has: its own. But Stripe's meter is the customer's, so what was counted
-- after the end of its own, before anybody here knew of that, is on a bill of the one that the customer had by then, if that has the price
-- of further records. One that nobody has paid for yet has such a bill when its period is over. What Stripe was told when that bill was
-- closed, too, is on none of its bills: it is of its own subscription.
create or replace function subscription_billed(own subscription, m meter_event) returns text language plpgsql stable as $$
begin
  if ended_at(own) is null or m.counted_at < ended_at(own) then return own.id; end if;
  return coalesce((
    select s.id from subscription s left join credit_balance b on b.id = s.balance_id
     where s.stripe_customer_id = own.stripe_customer_id and s.id <> own.id
       and s.created_at <= m.counted_at and (ended_at(s) > m.counted_at) is not false
       and case when s.balance_id is null then period_end_at(s.created_at, m.counted_at) <= coalesce(ended_at(s), service_now())
                else overage_price(b) is not null end
       and (m.sent_at >= period_end_at(coalesce(b.period_anchor, s.created_at), m.counted_at) + interval '1 hour') is not true
     order by s.created_at desc, s.id limit 1
  ), own.id);
end $$;
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
