-- Reverses the read of a request for the only server that could deliver it, and has not. A crash of Postgres empties undelivered_read
-- while servers live on, so the entry is searched in the ledger: by its id, or, if the id never arrived, among all entries that its
-- balance wrote since. Null if there is no entry, if it was repeated, or if it is too old: its account may have been shown the records.
-- If there is no entry, a hanging spend may still write one, and another crash before the sweep would leave it charged. So the request is
-- inserted into undelivered_read, whose key refuses that spend until the sweep removes the row.
create or replace function reverse_spent(p_balance_id uuid, p_request_id text, p_entry_id uuid, p_spent_within interval, p_reason text)
returns uuid language plpgsql as $$
declare v_entry_id uuid := p_entry_id;
begin
  perform from credit_balance where id = p_balance_id for update;
  if v_entry_id is null then
    select l.id into v_entry_id from ledger_entry l
     where l.balance_id = p_balance_id and l.sequence > entries_before(p_balance_id, service_now() - p_spent_within)
       and l.kind = 'read' and l.request_id = p_request_id
     order by l.sequence desc limit 1;
    if v_entry_id is null then
      insert into undelivered_read (balance_id, request_id) select id, p_request_id from credit_balance where id = p_balance_id
          on conflict do nothing;
    end if;
  end if;
  if v_entry_id is null or entry_time(v_entry_id) < service_now() - taken_back_within() then return null; end if;
  return reverse_entry(p_balance_id, v_entry_id, p_reason, null);
end $$;
