-- Microseconds since 1970. Text of a time would depend on the session's settings.
create or replace function unix_microseconds(p_at timestamptz) returns bigint language sql stable as $$
  select (extract(epoch from p_at) * 1000000)::bigint
$$;
