-- Creates a balance with its first period, grant and terms.
-- p_renew_until: a period that begins later waits for a payment; null: periods need no payment.
create or replace function open_balance(
  p_account_id text, p_plan text, p_grant_records integer, p_overage_unit_cents integer, p_period_anchor timestamptz,
  p_period_start timestamptz, p_period_end timestamptz, p_ends_at timestamptz, p_renew_until timestamptz, p_is_metered boolean,
  p_overage_cap integer default null
) returns uuid language plpgsql as $$
declare
  b credit_balance;
  e ledger_entry;
  r record;
begin
  insert into credit_balance
    (account_id, plan, grant_records, overage_unit_cents, period_anchor, period_start, period_end, ends_at, renew_until, is_metered,
     overage_cap)
  values (p_account_id, p_plan, p_grant_records, p_overage_unit_cents, p_period_anchor, p_period_start, p_period_end, p_ends_at,
          p_renew_until, p_is_metered, p_overage_cap)
  returning * into b;
  e.kind := 'grant';
  e.credits := p_grant_records;
  r := append_entry(b, e);
  perform record_terms(r.b);
  return b.id;
end $$;

-- Writes an operator's adjustment. Writes nothing if the balance does not exist ('unknown') or would leave its range ('out_of_range'):
-- never below zero; a trial never exceeds its grant, and a replaced trial gets nothing; other balances stay far enough below the
-- integer limit for later reversals.
-- Raises an error without actor or reason, by the audit's rule: a reason cannot be added later.
-- With a key it is written once: the same adjustment again returns the existing entry ('repeated'), another is refused ('key_reused').
create or replace function adjust_balance(
  p_balance_id uuid, p_credits integer, p_reason text, p_actor text, p_idempotency_key text default null,
  out decision text, out remaining_before integer, out remaining_max integer, out entry_id uuid
) language plpgsql as $$
declare
  b credit_balance;
  e ledger_entry;
  r record;
begin
  if trim(coalesce(p_reason, '')) = '' or trim(coalesce(p_actor, '')) = '' then
    raise exception 'an adjustment says who made it, and why';
  end if;
  select * into b from credit_balance where id = p_balance_id for update;
  if b.id is null then decision := 'unknown'; return; end if;
  select * into e from ledger_entry l
   where l.balance_id = b.id and l.token_id is null and l.idempotency_key = p_idempotency_key;
  if e.id is not null then
    if (e.credits, e.reason, e.actor) = (p_credits, p_reason, p_actor) then
      decision := 'repeated';
      entry_id := e.id;
    else
      decision := 'key_reused';
    end if;
    return;
  end if;
  b := open_due_period(b);
  remaining_before := b.remaining;
  remaining_max := case when b.is_closed then b.remaining when b.plan = 'trial' then b.grant_records else 1000000000 end;
  if b.remaining::bigint + p_credits not between 0 and remaining_max then decision := 'out_of_range'; return; end if;
  e.kind := 'adjustment';
  e.credits := p_credits;
  e.reason := p_reason;
  e.actor := p_actor;
  e.idempotency_key := p_idempotency_key;
  r := append_entry(b, e);
  decision := 'written';
  entry_id := (r.e).id;
end $$;
