-- Counts an event and returns 0 if it is within the limit. Otherwise returns the seconds to wait. Exact under concurrency.
create or replace function auth.try_consume(p_key text, p_max integer, p_within_seconds integer) returns double precision
language sql as $$
  select wait from auth.try_begin(array[p_key], array[p_key], array[p_max], array[p_within_seconds])
$$;
