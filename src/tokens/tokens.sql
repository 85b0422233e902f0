-- Adds a token to a balance. token_lookup maps the token's hash to the balance. All other statements of a read name the balance, so that the
-- money tables could be partitioned by balance over several machines.
create or replace function add_token(
  p_balance_id uuid, p_account_id text, p_name text, p_token_hash bytea, p_issued_at timestamptz
) returns uuid language plpgsql as $$
declare v_token_id uuid := gen_random_uuid();
begin
  insert into api_token (balance_id, id, account_id, name, issued_at)
  values (p_balance_id, v_token_id, p_account_id, p_name, p_issued_at);
  insert into token_lookup (token_hash, balance_id, token_id, account_id) values (p_token_hash, p_balance_id, v_token_id, p_account_id);
  return v_token_id;
end $$;

-- Issues a trial token with its balance. Null if the account has an active trial, also under concurrency. Closes earlier trials, so that no
-- late correction can make a second trial active. The caller holds the account's row (hold_session): a deletion holds it, too, and locks the
-- balances of the tokens that it revokes last.
create or replace function issue_trial(
  p_account_id text, p_name text, p_token_hash bytea, p_records integer, p_lifetime interval
) returns uuid language plpgsql as $$
declare
  v_now timestamptz;
  v_balance_id uuid;
begin
  perform pg_advisory_xact_lock(hashtextextended('issue_trial ' || p_account_id, 0));
  perform from credit_balance where account_id = p_account_id and plan = 'trial' and not is_closed order by id for update;
  if exists (
    select from api_token t join credit_balance b on b.id = t.balance_id
     where t.account_id = p_account_id and b.plan = 'trial'
       and token_rejection(t.revoked_at, b.ends_at, b.period_end, b.renew_until, b.remaining, b.overage_unit_cents,
                           b.overage_records, b.overage_cap) is null
  ) then
    return null;
  end if;
  update credit_balance set is_closed = true where account_id = p_account_id and plan = 'trial' and not is_closed;
  v_now := service_now();
  v_balance_id := open_balance(p_account_id, 'trial', p_records, null, v_now, v_now, v_now + p_lifetime, v_now + p_lifetime, null, false);
  return add_token(v_balance_id, p_account_id, p_name, p_token_hash, v_now);
end $$;
