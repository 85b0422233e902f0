-- Runs at the end of a transaction that issued or revoked a token. So a balance's lock is the last that such a transaction takes: it waits
-- for nobody who waits for it. tg_argv[0]: the column with the token's id.
create or replace function token_changed() returns trigger language plpgsql as $$
declare b credit_balance;
begin
  -- One transaction may revoke all tokens of an account: locks in the order of the balances' ids, like all that lock several.
  if tg_op = 'UPDATE' then perform from credit_balance where account_id = new.account_id order by id for update; end if;
  select * into strict b from credit_balance where id = new.balance_id for update;
  b := record_terms(b);
  perform record_token(b, (to_jsonb(new) ->> tg_argv[0])::uuid);
  return null;
end $$;
