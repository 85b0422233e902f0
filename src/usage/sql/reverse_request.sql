-- Takes back the read of a request on the word of the only server that could deliver it, and has not. A crash of Postgres empties
-- undelivered_read while servers live on, so the entry is looked for among the latest of its balance, not there. Null when there
-- is none (its spend was never committed, or is still to come: then the sweep finds it), or when it was repeated.
create or replace function reverse_request(p_balance_id uuid, p_request_id text, p_reason text) returns uuid language plpgsql as $$
declare v_entry_id uuid;
begin
  perform from credit_balance where id = p_balance_id for update;
  select l.id into v_entry_id
    from (select id, kind, request_id from ledger_entry where balance_id = p_balance_id order by sequence desc limit 1000) l
   where l.kind = 'read' and l.request_id = p_request_id;
  if v_entry_id is null then return null; end if;
  return reverse_entry(p_balance_id, v_entry_id, p_reason, null);
end $$;
