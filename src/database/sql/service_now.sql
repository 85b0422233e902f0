-- The clock of the service. Every statement that decides by time uses it, so that all servers agree and tests can move it.
-- plpgsql, because Postgres would plan a SQL function anew at every call. The wall clock, not the transaction's start: a period may end
-- while a spend waits for its balance.
create or replace function service_now() returns timestamptz
  language plpgsql stable parallel safe as $$
begin
  return clock_timestamp();
end $$;
