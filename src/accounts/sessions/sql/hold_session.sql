-- Whether an account's session is open, and keeps it open until the transaction ends: a password reset waits, and then sees what the
-- transaction did. `tokens` calls this before issuing a token. Locks the account's row first, like a ban and a reset.
create or replace function auth.hold_session(p_account_id text, p_session_id text) returns boolean language plpgsql as $$
begin
  perform from auth."user" where id = p_account_id for share;
  perform from auth.session where id = p_session_id and "userId" = p_account_id for key share;
  return found;
end $$;
