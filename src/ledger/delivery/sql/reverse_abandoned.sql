-- Takes back reads that nobody delivered in time: their server died, or lost its database before it knew that they were granted.
-- The wall clock, not the service's, which tests move. @return how many were taken back
create or replace function reverse_abandoned(p_older_than interval, p_limit integer) returns integer language plpgsql as $$
declare
  u record;
  v_count integer := 0;
begin
  for u in
    -- A balance that somebody holds just now waits for the next sweep, and nobody for it: passed over before they are counted, else as many
    -- of its reads would keep those of all others from it.
    select w.balance_id, w.request_id from undelivered_read w join credit_balance b on b.id = w.balance_id
     where w.spent_at < clock_timestamp() - p_older_than
     order by w.balance_id, w.request_id limit p_limit
       for update of b skip locked
  loop
    -- one that cannot be taken back must not keep the others from it
    begin
      if reverse_undelivered(u.balance_id, u.request_id, 'not delivered') is not null then v_count := v_count + 1; end if;
    exception when others then
      raise warning 'request % of balance % cannot be taken back: %', u.request_id, u.balance_id, sqlerrm;
    end;
  end loop;
  return v_count;
end $$;
