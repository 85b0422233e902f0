-- The segments of a read that its account may see once more; null: there is no such read, or it was taken back. Whoever sees the records of
-- one that may still be taken back has them: that is written down as a replay, after which nobody takes it back.
create or replace function show_read(p_account_id text, p_entry_id uuid, p_request_id text) returns integer[] language plpgsql as $$
declare
  e ledger_entry;
  b credit_balance;
begin
  select l.* into e
    from credit_balance c join ledger_entry l on l.balance_id = c.id and l.sequence = entry_sequence(p_entry_id) and l.id = p_entry_id
   where c.account_id = p_account_id and l.kind in ('read', 'replay');
  if e.id is null then return null; end if;
  if e.kind = 'read' and e.records > 0 and (
    e.at > service_now() - 2 * taken_back_within()
    or exists (select from undelivered_read u where u.balance_id = e.balance_id and u.entry_id = e.id)
  ) then
    select * into strict b from credit_balance where id = e.balance_id for update;
    if not exists (select from ledger_entry l where l.balance_id = e.balance_id and (l.repeats = e.id or l.reverses = e.id)) then
      -- one whose records are no longer kept is not repeated, and may be taken back: nothing of it is shown that a server has in memory
      if not are_kept(e.segments) then return null; end if;
      perform repeat_read(b, e.id, p_request_id, service_now());
      delete from undelivered_read u where u.balance_id = e.balance_id and u.entry_id = e.id;
    end if;
  end if;
  if exists (select from ledger_entry l where l.balance_id = e.balance_id and l.reverses = e.id) then return null; end if;
  return e.segments;
end $$;
