-- Takes back reads that nobody delivered in time: their server died, or lost its database before it knew that they were granted.
-- The wall clock, not the service's, which tests move. @return how many were taken back
create or replace function reverse_abandoned(p_older_than interval, p_limit integer) returns integer language plpgsql as $$
declare
  u record;
  v_count integer := 0;
begin
  for u in
    select balance_id, request_id from undelivered_read
     where spent_at < clock_timestamp() - p_older_than order by balance_id, request_id limit p_limit
  loop
    -- a balance that somebody holds just now waits for the next sweep, and nobody for it
    perform from credit_balance where id = u.balance_id for update skip locked;
    continue when not found;
    -- one that cannot be taken back must not keep the others from it
    begin
      if reverse_undelivered(u.balance_id, u.request_id, 'not delivered') is not null then v_count := v_count + 1; end if;
    exception when others then
      raise warning 'request % of balance % cannot be taken back: %', u.request_id, u.balance_id, sqlerrm;
    end;
  end loop;
  return v_count;
end $$;
