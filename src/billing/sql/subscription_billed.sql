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
