-- Counts an event if it still fits, and says how many seconds to wait if it does not; exact however many come at once.
create or replace function auth.try_consume(p_key text, p_max integer, p_within_seconds integer) returns double precision
language plpgsql as $$
declare v_wait double precision;
begin
  perform pg_advisory_xact_lock(hashtextextended('rate limit ' || p_key, 0));
  v_wait := auth.retry_after(p_key, p_max, p_within_seconds);
  if v_wait = 0 then insert into auth.rate_limit_event (key) values (p_key); end if;
  return v_wait;
end $$;
