-- Reverses reads that were not delivered in time: their server died, or lost its database before it knew that they were granted.
-- Uses the wall clock, not service_now(), which tests move. @return the number of reversals
create or replace function reverse_abandoned(p_older_than interval, p_limit integer) returns integer language plpgsql as $$
declare
  u record;
  v_count integer := 0;
begin
  for u in
    -- A locked balance waits for the next sweep. It is skipped before the limit counts, so that its reads do not crowd out all others.
    select w.balance_id, w.request_id from undelivered_read w join credit_balance b on b.id = w.balance_id
     where w.spent_at < clock_timestamp() - p_older_than
     order by w.balance_id, w.request_id limit p_limit
       for update of b skip locked
  loop
    -- A read that cannot be reversed must not block the others.
    begin
      if reverse_undelivered(u.balance_id, u.request_id, 'not delivered') is not null then v_count := v_count + 1; end if;
    exception when others then
      raise warning 'request % of balance % cannot be taken back: %', u.request_id, u.balance_id, sqlerrm;
    end;
  end loop;
  return v_count;
end $$;
