-- Brings a balance to what its subscription is now, so that it may be called any number of times in any order.
-- A period newer than the balance's is opened here when its invoice is paid, else by the first read (open_due_period), which goes
-- one period beyond the last paid one and no further.
-- p_overage_unit_cents: what an overage record costs from the next period with none yet; null: as before (servers of an older release).
create or replace function follow_subscription(
  p_balance_id uuid, p_anchor timestamptz, p_start timestamptz, p_end timestamptz, p_ends_at timestamptz, p_is_paid boolean,
  p_overage_unit_cents integer
) returns void language plpgsql as $$
declare b credit_balance;
begin
  update credit_balance
     set period_anchor = p_anchor,
         period_end = case when period_start = p_start then p_end else period_end end,
         renew_until = case when p_is_paid then greatest(renew_until, p_end) else renew_until end,
         ends_at = p_ends_at,
         overage_unit_cents = case
           when overage_records = 0 or (p_is_paid and p_start > period_start) then coalesce(p_overage_unit_cents, overage_unit_cents)
           else overage_unit_cents
         end
   where id = p_balance_id
  returning * into strict b;
  if p_is_paid and p_start > b.period_start then
    perform open_period(b, p_start, p_end);
  end if;
end $$;
