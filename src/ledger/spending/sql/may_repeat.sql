-- Whether a key may repeat its read once more: within 24 hours, a hundred times. Showing the records to the account counts as one
-- repeat (show_read).
create or replace function may_repeat(p_balance_id uuid, p_read_id uuid) returns boolean language plpgsql as $$
begin
  return entry_time(p_read_id) > service_now() - interval '24 hours'
    and not exists (select from ledger_entry l where l.balance_id = p_balance_id and l.repeats = p_read_id offset 99);
end $$;
