-- The one clock of the service: every statement that decides by time asks here, so that all servers agree and tests can
-- move it. The wall clock, not the transaction's start: a spend may have waited for its balance, and a period ended meanwhile.
create or replace function service_now() returns timestamptz
  language sql stable parallel safe
  return clock_timestamp();
