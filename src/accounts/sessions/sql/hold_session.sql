-- Whether an account's session is still open. Until the transaction ends, nothing ends it: a reset of the password waits, and then sees
-- what was done by it. Asked by `tokens` before a token is issued. Locks the account's row first, as a ban and a reset do.
create or replace function auth.hold_session(p_account_id text, p_session_id text) returns boolean language plpgsql as $$
begin
  perform from auth."user" where id = p_account_id for share;
  perform from auth.session where id = p_session_id and "userId" = p_account_id for key share;
  return found;
end $$;
