-- Books are corrected by new entries, never by changing old ones; not even by their owner.
create or replace function refuse_ledger_change() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only' using errcode = 'restrict_violation';
end $$;

create or replace trigger ledger_entry_append_only before update or delete or truncate on ledger_entry
  for each statement execute function refuse_ledger_change();

revoke update, delete, truncate on ledger_entry from current_user, public;
