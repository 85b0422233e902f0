-- Takes back the read of a request that is still undelivered; does nothing when it was delivered, repeated, taken back or never
-- committed. Whoever deletes the row of undelivered_read decides: the server before its first byte, or this function.
create or replace function reverse_undelivered(p_balance_id uuid, p_request_id text, p_reason text) returns uuid language plpgsql as $$
declare v_entry_id uuid;
begin
  perform from credit_balance where id = p_balance_id for update;
  delete from undelivered_read where balance_id = p_balance_id and request_id = p_request_id returning entry_id into v_entry_id;
  if v_entry_id is null then return null; end if;
  return reverse_entry(p_balance_id, v_entry_id, p_reason, null);
end $$;
