-- For servers of the release before, which ask for all customers at once; in one order, so that two of them never wait for each other.
create or replace function open_billing_credits() returns void language plpgsql as $$
begin
  perform open_credits_of(s.stripe_customer_id)
     from (select distinct own.stripe_customer_id
             from subscription own join meter_event m on m.balance_id = own.balance_id
            where m.records < 0 and m.state = 'sent'
            order by 1) s;
end $$;
