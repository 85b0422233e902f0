-- Says that reads are about to be delivered: from here on no sweep takes them back. The n-th element of both arrays belongs to the
-- n-th read.
-- @return the request ids of those that could still be claimed
create or replace function claim_reads(p_balance_ids uuid[], p_request_ids text[]) returns setof text language plpgsql
-- one plan for good, as in spend
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  return query
  delete from undelivered_read u using unnest(p_balance_ids, p_request_ids) as r (balance_id, request_id)
   where u.balance_id = r.balance_id and u.request_id = r.request_id returning u.request_id;
end $$;
