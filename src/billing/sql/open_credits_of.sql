-- Credits a customer what a bill could not take back, since a meter that is below zero is billed as zero, and after the last bill there is
-- none. Not before it is known what Stripe has: until then nobody can say what the bills have of it.
create or replace function open_credits_of(customer text) returns void language plpgsql as $$
begin
  -- Servers take turns, so that each sees what the one before has credited.
  perform pg_advisory_xact_lock(hashtextextended('open_credits_of ' || customer, 0));
  with decided as materialized (
    select s.id, coalesce(b.period_anchor, s.created_at) as period_anchor, ended_at(s) as ended_at,
           -- what a bill could not take back of one that was never paid, and will not be, is of the one before it
           coalesce(s.balance_id, (
             select before.balance_id from subscription before
              where before.stripe_customer_id = customer and before.balance_id is not null and before.created_at <= s.created_at
              order by before.created_at desc, before.id limit 1
           )) as balance_id
      from subscription s left join credit_balance b on b.id = s.balance_id
     where s.stripe_customer_id = customer and (s.balance_id is not null or ended_at(s) is not null) and not is_undecided(s)
  ), missing as (
    select d.balance_id,
           -sum(least(bill.records, 0)) - (
             select coalesce(sum(c.records), 0) from billing_credit c where c.balance_id = d.balance_id and not c.is_of_last_bill
           ) as records
      from decided d
      join bill_sums(customer) bill on bill.subscription_id = d.id
     where bill.billed_at = 'infinity' or service_now() > interval '50 minutes'
           + case when bill.billed_at = d.ended_at then last_bill_at(d.period_anchor, d.ended_at) else bill.billed_at end
     group by d.balance_id
  )
  insert into billing_credit (balance_id, stripe_customer_id, records, amount_cents)
  select b.id, customer, m.records, m.records * overage_price(b)
    from missing m join credit_balance b on b.id = m.balance_id
   where m.records > 0;
end $$;
