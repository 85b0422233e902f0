-- The one clock of the service: every statement that decides by time asks here, so that all servers agree and tests can
-- move it. Not in SQL, which Postgres would plan anew at every call. The wall clock, not the transaction's start: a spend may have waited for its balance, and a period ended meanwhile.
create or replace function service_now() returns timestamptz
  language plpgsql stable parallel safe as $$
begin
  return clock_timestamp();
end $$;
