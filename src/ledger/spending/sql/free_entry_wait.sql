-- The seconds until a token may have another entry that costs no credit (a page without records, or a replay); null: now.
-- The limit is 120 in any minute. Entries ahead of the clock (it was set back) do not count. p_unwritten: such entries that the running
-- statement has granted but not written yet.
create or replace function free_entry_wait(p_token_id uuid, p_now timestamptz, p_unwritten integer) returns integer language plpgsql as $$
declare
  v_most constant integer := 120;
  v_span constant interval := '1 minute';
  v_at timestamptz := p_now;
begin
  if p_unwritten < v_most then
    -- the condition of the index ledger_entry_free
    select l.at into v_at from ledger_entry l
     where l.token_id = p_token_id and l.at > p_now - v_span and l.at <= p_now and (l.kind = 'replay' or (l.kind = 'read' and l.records = 0))
     order by l.at desc offset v_most - 1 - p_unwritten limit 1;
  end if;
  return ceil(extract(epoch from v_at + v_span - p_now));
end $$;
