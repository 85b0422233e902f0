-- Opens the due periods of an account's balances, as a read would, so that people see the current one.
-- Locks in the order of the balances' ids, like all functions that lock several.
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
