-- Opens the period that now lies in, if b is a living paid balance whose period is over. Of a subscription at most one period is
-- opened ahead of its payment: one that would begin after `renew_until` waits for the invoice before it.
create or replace function open_due_period(inout b credit_balance) language plpgsql as $$
declare
  v_now timestamptz := service_now();
  v_months integer;
  v_start timestamptz;
begin
  if b.plan <> 'paid' or v_now < b.period_end or b.ends_at <= v_now then return; end if;
  v_months := whole_months(b.period_anchor, v_now);
  v_start := greatest(period_boundary(b.period_anchor, v_months), b.period_end);
  if b.renew_until < v_start then return; end if;
  b := open_period(b, v_start, period_boundary(b.period_anchor, v_months + 1));
end $$;
