-- Counts an attempt under each key and returns the events if it is within all limits. Otherwise returns the seconds to wait.
-- Exact under concurrency: attempts that share a key wait for each other.
create or replace function auth.try_begin(
  p_keys text[], p_limited_keys text[], p_max integer[], p_within_seconds integer[], out wait double precision, out events bigint[]
) language plpgsql as $$
declare
  v_keys text[] := array(
    select c.key
      from unnest(p_keys) with ordinality as k (key, position)
      cross join lateral (values (0, k.key), (1, auth.network_key(k.key))) as c (size, key)
     where c.key is not null
     order by k.position, c.size
  );
begin
  perform pg_advisory_xact_lock(hashtextextended('rate limit ' || k.key, 0)) from unnest(v_keys) as k (key);
  select coalesce(max(auth.retry_after(l.key, l.max, l.within_seconds)), 0) into wait
    from unnest(p_limited_keys, p_max, p_within_seconds) as l (key, max, within_seconds);
  if wait = 0 then
    with counted as (insert into auth.rate_limit_event (key) select unnest(v_keys) returning id)
    select array_agg(id) into events from counted;
  end if;
end $$;
