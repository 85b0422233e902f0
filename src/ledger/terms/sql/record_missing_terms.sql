-- Gives balances from before terms were recorded their first ones, with their tokens: a batch of those with an id after p_after.
-- @return the last id of the batch; null: there are no more
create or replace function record_missing_terms(p_after uuid, p_limit integer) returns uuid language plpgsql as $$
declare
  b credit_balance;
  v_last uuid;
begin
  for b in
    select c.* from credit_balance c
     where c.id > p_after and not exists (select from ledger_entry l where l.balance_id = c.id and l.kind = 'terms')
     order by c.id limit p_limit for update
  loop
    perform record_terms(b);
    v_last := b.id;
  end loop;
  return v_last;
end $$;
