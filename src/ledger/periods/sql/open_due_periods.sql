-- Opens the periods that an account's balances are in by now, as a first read would, so that people see the present one.
-- In the order of the balances' ids, as everybody locks them who locks several.
create or replace function open_due_periods(p_account_id text) returns void language plpgsql as $$
declare b credit_balance;
begin
  for b in
    select * from credit_balance
     where account_id = p_account_id and plan = 'paid' and period_end <= service_now()
     order by id for update
  loop
    perform open_due_period(b);
  end loop;
end $$;
