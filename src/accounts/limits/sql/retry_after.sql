-- Seconds until another event fits: the newest but (p_max - 1) has to leave the window first. 0: one fits now.
create or replace function auth.retry_after(p_key text, p_max integer, p_within_seconds integer) returns double precision
  language sql stable
  return coalesce((
    select greatest(0, extract(epoch from e.at + make_interval(secs => p_within_seconds) - service_now()))
      from auth.rate_limit_event e
     where e.key = p_key
     order by e.at desc
    offset p_max - 1 limit 1
  ), 0);
