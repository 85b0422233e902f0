-- Use prolongs a session, but it ends 30 days after sign-in at the latest.
create or replace function auth.bound_session() returns trigger language plpgsql as $$
begin
  new."expiresAt" := least(new."expiresAt", new."createdAt" + interval '30 days');
  return new;
end $$;

create or replace trigger session_bound before insert or update on auth.session
  for each row execute function auth.bound_session();

-- An account has at most 100 sessions. Beyond that, the least recently used end.
create or replace function auth.end_surplus_sessions() returns trigger language plpgsql as $$
begin
  delete from auth.session
   where id in (select id from auth.session where "userId" = new."userId" order by "updatedAt" desc, id offset 100);
  return null;
end $$;

create or replace trigger session_surplus after insert on auth.session
  for each row execute function auth.end_surplus_sessions();

-- Whether an account's session is open, and keeps it open until the transaction ends: a password reset waits, and then sees what the
-- transaction did. `tokens` calls this before issuing a token. Locks the account's row first, like a ban and a reset.
create or replace function auth.hold_session(p_account_id text, p_session_id text) returns boolean language plpgsql as $$
begin
  perform from auth."user" where id = p_account_id for share;
  perform from auth.session where id = p_session_id and "userId" = p_account_id for key share;
  return found;
end $$;
