-- Whether the account was deleted or banned.
create or replace function auth.is_account_closed(p_account_id text) returns boolean language sql stable as $$
  select exists (select from auth."user" where id = p_account_id and (banned or "deletedAt" is not null))
$$;

-- A banned or deleted account gets no new session and no new token, not even from a request that was under way when it was closed: the
-- insert and the closing transaction wait for each other at the account's row.
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

-- Undoes a change by an operator who lost the role after the request was authorized. Every change by an operator is logged in its own
-- transaction, so this check is on the log. The change and the revocation of the role wait for each other at the account's row.
create or replace function auth.refuse_former_operator() returns trigger language plpgsql as $$
begin
  perform from auth."user" where id = new.actor and role = 'admin' and not banned for share;
  if not found and new.actor <> 'command line' then raise exception 'no operator' using errcode = 'restrict_violation'; end if;
  return new;
end $$;

create or replace trigger admin_action_of_operator before insert on admin_action
  for each row execute function auth.refuse_former_operator();
