-- Writes a balance's terms into its ledger, unless its last such entry says the same. The first of a balance come with its tokens, so that
-- either all of them are in the ledger or none. The caller holds the balance's lock and passes the locked row.
create or replace function record_terms(inout b credit_balance) language plpgsql as $$
declare
  v_terms constant text := terms_of(b)::text;
  v_last text;
  v_token_id uuid;
  e ledger_entry;
  r record;
begin
  -- the condition of the index ledger_entry_terms
  select l.reason into v_last from ledger_entry l where l.balance_id = b.id and l.kind = 'terms' order by l.sequence desc limit 1;
  if v_last = v_terms then return; end if;
  e.kind := 'terms';
  e.reason := v_terms;
  r := append_entry(b, e);
  b := r.b;
  if v_last is not null then return; end if;
  for v_token_id in select t.id from api_token t where t.balance_id = b.id order by t.issued_at, t.id loop
    b := record_token(b, v_token_id);
  end loop;
end $$;
