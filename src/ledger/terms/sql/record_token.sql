-- Writes those events of a token into the ledger that it does not have yet. The caller holds the balance's lock and passes the locked row.
create or replace function record_token(inout b credit_balance, p_token_id uuid) language plpgsql as $$
declare
  v_event jsonb;
  e ledger_entry;
  r record;
begin
  for v_event in
    select n.event
      from api_token t
      join token_lookup k on k.balance_id = t.balance_id and k.token_id = t.id
     cross join lateral token_events(t.account_id, k.token_hash, t.issued_at, t.revoked_at) n (event)
     where t.balance_id = b.id and t.id = p_token_id
       and n.event ->> 'event' <> all(array(
         select l.reason::jsonb ->> 'event' from ledger_entry l where l.balance_id = b.id and l.kind = 'token' and l.token_id = t.id
       ))
  loop
    e := null;
    e.kind := 'token';
    e.token_id := p_token_id;
    e.reason := v_event::text;
    r := append_entry(b, e);
    b := r.b;
  end loop;
end $$;
