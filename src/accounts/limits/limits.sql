-- The key of the IPv6 /48 around the /64 at the end of a key; null if the key does not end with a /64. A provider gives a customer a /64 or
-- a /48. Without this a customer with a /48 would count as 65,536 customers.
create or replace function auth.network_key(p_key text) returns text language sql immutable as $$
  select k.prefix || set_masklen(k.address::cidr, 48)
    from (select substring(p_key from '^(.* )[0-9a-f:]+$') as prefix,
                 substring(p_key from ' ((?:[0-9a-f]{1,4}:){1,4}:)$') as address) k
   where k.address is not null
$$;

-- Seconds until one more event is within the limit: the p_max-th newest event must leave the window first. 0: now. An event of an IPv6 /64
-- also counts for the /48 around it, which has eight times the limit; src/core/client-address.ts counts requests in the same way.
create or replace function auth.retry_after(p_key text, p_max integer, p_within_seconds integer) returns double precision
  language sql stable
  return coalesce((
    select max(greatest(0, extract(epoch from e.at + make_interval(secs => p_within_seconds) - service_now())))
      from (values (p_key, p_max), (auth.network_key(p_key), 8 * p_max)) as k (key, max)
      cross join lateral (
        select at from auth.rate_limit_event where key = k.key order by at desc offset k.max - 1 limit 1
      ) e
  ), 0);

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
