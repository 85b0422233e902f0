-- The latest read of a token under an idempotency key, and whether it was taken back; all null: there is none.
create or replace function find_keyed_read(
  p_balance_id uuid, p_token_id uuid, p_idempotency_key text,
  out id uuid, out request_hash bytea, out attempt integer, out is_reversed boolean
) language plpgsql as $$
begin
  select l.id, l.request_hash, l.attempt,
         exists (select from ledger_entry v where v.balance_id = p_balance_id and v.reverses = l.id)
    into id, request_hash, attempt, is_reversed
    from ledger_entry l
   where l.balance_id = p_balance_id and l.token_id = p_token_id and l.idempotency_key = p_idempotency_key
   order by l.attempt desc limit 1;
end $$;
