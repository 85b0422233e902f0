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
