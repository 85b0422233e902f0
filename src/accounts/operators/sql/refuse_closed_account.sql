-- A banned or deleted account gets no new session and no new token, also not from a request that was under way when it was
-- closed: whoever opens and whoever closes an account wait for each other at its row.
create or replace function auth.refuse_closed_account() returns trigger language plpgsql as $$
declare v_is_closed boolean;
begin
  select banned or "deletedAt" is not null into v_is_closed from auth."user" where id = to_jsonb(new) ->> tg_argv[0] for share;
  if v_is_closed then raise exception 'the account is closed' using errcode = 'restrict_violation'; end if;
  return new;
end $$;

create or replace trigger session_of_open_account before insert on auth.session
  for each row execute function auth.refuse_closed_account('userId');
create or replace trigger api_token_of_open_account before insert on api_token
  for each row execute function auth.refuse_closed_account('account_id');
