-- When a subscription ended; null while it may still charge (see subscription-status.ts).
create or replace function ended_at(s subscription) returns timestamptz language plpgsql immutable as $$
begin
  return case when s.status in ('canceled', 'incomplete_expired') then s.ends_at end;
end $$;

-- Opens the balance of a subscription whose first invoice is paid, with the grant of its current period. The overage cap is the one chosen
-- at checkout. If none was chosen since the account's last subscription was opened, it is that one's cap, even if it had none; of several
-- created in one second the lowest.
create or replace function open_subscription_balance(
  p_account_id text, p_grant_records integer, p_overage_unit_cents integer,
  p_anchor timestamptz, p_start timestamptz, p_end timestamptz, p_ends_at timestamptz
) returns uuid language plpgsql as $$
declare v_cap integer := (
  select case when c.cap_chosen_at > coalesce(l.opened_at, '-infinity') then c.chosen_cap else l.kept_cap end
    from (select p_account_id as account_id) a
    left join billing_customer c using (account_id)
    left join lateral (
      select s.kept_cap, e.at as opened_at
        from subscription s join ledger_entry e on e.balance_id = s.balance_id and e.sequence = 1
       where s.account_id = p_account_id order by s.created_at desc, 1 limit 1
    ) l on true
);
begin
  return open_balance(p_account_id, 'paid', p_grant_records, p_overage_unit_cents, p_anchor, p_start, p_end, p_ends_at, p_end, true, v_cap);
end $$;

-- Brings a balance to what its subscription is now, so that it may be called any number of times in any order.
-- A period newer than the balance's is opened here when its invoice is paid. Before that the first read opens it (open_due_period), but
-- at most one period beyond the last paid one. One that Stripe began within the balance's, by an anchor that we heard of too late, waits for the
-- end of the balance's (refuse_early_period).
-- p_overage_unit_cents: what an overage record costs from the next period with none yet.
create or replace function follow_subscription(
  p_balance_id uuid, p_anchor timestamptz, p_start timestamptz, p_end timestamptz, p_ends_at timestamptz, p_is_paid boolean,
  p_overage_unit_cents integer
) returns void language plpgsql as $$
declare
  b credit_balance;
  v_is_next boolean;
begin
  select * into strict b from credit_balance where id = p_balance_id for update;
  v_is_next := p_is_paid and p_start > b.period_start and (p_start >= b.period_end or p_anchor in (p_start, p_end));
  update credit_balance
     set period_anchor = p_anchor,
         period_end = case when period_start = p_start then p_end else period_end end,
         renew_until = case when p_is_paid then greatest(renew_until, p_end) else renew_until end,
         ends_at = p_ends_at,
         overage_unit_cents = case
           when overage_records = 0 or v_is_next then p_overage_unit_cents
           else overage_unit_cents
         end
   where id = p_balance_id
  returning * into b;
  if v_is_next then
    perform open_period(b, p_start, p_end);
  end if;
end $$;
