-- Why a token may not read, in the specification's words and order; null: it may. A period that is over counts as the next one if that
-- may still be opened (see renewable_until), so the answer does not depend on which caller is first.
create or replace function token_rejection(
  p_revoked_at timestamptz, p_ends_at timestamptz, p_period_end timestamptz, p_renew_until timestamptz,
  p_remaining integer, p_overage_unit_cents integer, p_overage_records integer, p_overage_cap integer
) returns text language plpgsql stable as $$
declare v_now constant timestamptz := service_now();
begin
  return case
    when p_revoked_at is not null then 'revoked'
    when p_ends_at <= v_now then 'expired'
    when p_period_end <= v_now then case when p_renew_until < p_period_end then 'expired' end
    when p_remaining = 0 and (p_overage_unit_cents is null or p_overage_records >= p_overage_cap) then 'exhausted'
  end;
end $$;

-- How many records a token may still be charged in the present period under its own cap; null: it has none. Both maps are by token id.
create or replace function token_cap_left(p_caps jsonb, p_records jsonb, p_token_id uuid) returns integer language sql immutable as $$
  select greatest(0, (p_caps ->> p_token_id::text)::integer - coalesce((p_records ->> p_token_id::text)::integer, 0))
   where p_caps ->> p_token_id::text is not null
$$;

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

-- Caps the records that a token may be charged in each period, or lifts its cap (p_cap is null). What it was charged in the present period
-- counts. Spends hold the same lock, so a cap holds from the next one. Caps of revoked tokens are dropped.
-- @return false if a hundred other tokens of the balance have a cap: each change writes all of them into the ledger
create or replace function cap_token(p_balance_id uuid, p_token_id uuid, p_cap integer) returns boolean language plpgsql as $$
declare
  v_most constant integer := 100;
  b credit_balance;
  v_caps jsonb;
  v_records bigint;
begin
  select * into strict b from credit_balance where id = p_balance_id for update;
  select coalesce(jsonb_object_agg(c.key, c.value), '{}') into v_caps
    from jsonb_each(b.token_caps) c join api_token t on t.balance_id = b.id and t.id = c.key::uuid
   where t.id <> p_token_id and t.revoked_at is null;
  if p_cap is not null then
    if (select count(*) from jsonb_object_keys(v_caps)) >= v_most then return false; end if;
    v_caps := v_caps || jsonb_build_object(p_token_id, p_cap);
    -- Later than the period's grant, so that an index finds them without earlier periods.
    select coalesce(sum(l.records), 0) into v_records from ledger_entry l
     where l.balance_id = b.id and l.token_id = p_token_id and l.kind in ('read', 'reversal') and l.period_start = b.period_start
       and l.sequence > (
         select g.sequence from ledger_entry g where g.balance_id = b.id and g.kind = 'grant' and g.period_start = b.period_start
       );
    b.token_records := coalesce(b.token_records, '{}') || jsonb_build_object(p_token_id, v_records);
  end if;
  update credit_balance
     set token_caps = nullif(v_caps, '{}'), token_records = case when v_caps <> '{}' then b.token_records end
   where id = b.id;
  return true;
end $$;
