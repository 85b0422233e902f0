-- Why a token may not read now, without spending; null: it may. Opens a due period first, so that the answer matches the next read.
-- 'invalid': the token or its balance does not exist (see spend).
create or replace function check_token(p_balance_id uuid, p_token_id uuid) returns text language plpgsql as $$
declare
  b credit_balance;
  v_revoked_at timestamptz;
begin
  select * into b from credit_balance where id = p_balance_id;
  if b.plan = 'paid' and b.period_end <= service_now() then
    select * into strict b from credit_balance where id = p_balance_id for update;
    b := open_due_period(b);
  end if;
  select t.revoked_at into v_revoked_at from api_token t where t.balance_id = p_balance_id and t.id = p_token_id;
  if not found then return 'invalid'; end if;
  return coalesce(
    token_rejection(
      v_revoked_at, b.ends_at, b.period_end, renewable_until(b.period_anchor, b.period_end, b.renew_until), b.remaining,
      b.overage_unit_cents, b.overage_records, b.overage_cap),
    case when token_cap_left(b.token_caps, b.token_records, p_token_id) = 0 then 'exhausted' end);
end $$;
