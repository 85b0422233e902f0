-- Takes back the read of a request on the word of the only server that could deliver it, and has not. A crash of Postgres empties
-- undelivered_read while servers live on, so the entry is looked for in the ledger, not there: by its id, or where that never arrived
-- among all that its balance wrote since. Null when there is none, when it was repeated, or when it is too old: its account may have been
-- shown the records since.
-- Where there is none its spend may still be to come, when the database hung. Nobody would take it back any more if that crashed again before the
-- sweep, so it is refused by the key of undelivered_read, for as long as the sweep leaves the request there.
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
