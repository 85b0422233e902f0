-- Counts an event if it still fits, and says how many seconds to wait if it does not; exact however many come at once.
create or replace function auth.try_consume(p_key text, p_max integer, p_within_seconds integer) returns double precision
language sql as $$
  select wait from auth.try_begin(array[p_key], array[p_key], array[p_max], array[p_within_seconds])
$$;
