-- Confirms that reads are about to be delivered, so that no sweep reverses them. The n-th element of both arrays belongs to the
-- n-th read.
-- @return null if all were confirmed, as nearly always; otherwise the request ids that were
create or replace function claim_undelivered(p_balance_ids uuid[], p_request_ids text[]) returns text[] language plpgsql
-- a generic plan, as in spend
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
declare v_claimed text[];
begin
  with claimed as (
    -- in the order of the table's key, like all statements that lock several of its rows, so that none deadlock
    delete from undelivered_read u using (
      select r.* from unnest(p_balance_ids, p_request_ids) as r (balance_id, request_id) order by r.balance_id, r.request_id
    ) r
     where u.balance_id = r.balance_id and u.request_id = r.request_id returning u.request_id
  )
  select coalesce(array_agg(request_id), '{}') into v_claimed from claimed;
  if cardinality(v_claimed) < cardinality(p_request_ids) then return v_claimed; end if;
  return null;
end $$;
