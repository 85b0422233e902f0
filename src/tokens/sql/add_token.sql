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
