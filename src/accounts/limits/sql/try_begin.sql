-- Counts what begins under each of these keys if it is within all of these limits, and names the events; else says how many seconds
-- to wait. Exact however many begin at once: whoever shares a key waits here.
create or replace function auth.try_begin(
  p_keys text[], p_limited_keys text[], p_max integer[], p_within_seconds integer[], out wait double precision, out events bigint[]
) language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('rate limit ' || k.key, 0)) from unnest(p_keys) as k (key);
  select coalesce(max(auth.retry_after(l.key, l.max, l.within_seconds)), 0) into wait
    from unnest(p_limited_keys, p_max, p_within_seconds) as l (key, max, within_seconds);
  if wait = 0 then
    with counted as (insert into auth.rate_limit_event (key) select unnest(p_keys) returning id)
    select array_agg(id) into events from counted;
  end if;
end $$;
