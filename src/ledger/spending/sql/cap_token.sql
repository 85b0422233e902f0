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
