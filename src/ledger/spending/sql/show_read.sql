-- The segments of a read that its account may see again; null if there is no such read, or it was reversed. Showing a read that could
-- still be reversed writes a replay, after which nothing reverses it. Its reason tells it from a caller's retry.
create or replace function show_read(p_account_id text, p_entry_id uuid, p_request_id text) returns integer[] language plpgsql as $$
declare
  e ledger_entry;
  b credit_balance;
  shown ledger_entry;
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
      -- A read of pruned records gets no replay and may be reversed, so it is not shown, even if a server has its page in memory.
      if not are_kept(e.segments) then return null; end if;
      shown.kind := 'replay';
      shown.reason := 'shown in console';
      shown.repeats := e.id;
      shown.records := e.records;
      shown.segments := e.segments;
      shown.token_id := e.token_id;
      shown.county_fips := e.county_fips;
      shown.request_id := p_request_id;
      perform append_entry(b, shown);
      delete from undelivered_read u where u.balance_id = e.balance_id and u.entry_id = e.id;
    end if;
  end if;
  if exists (select from ledger_entry l where l.balance_id = e.balance_id and l.reverses = e.id) then return null; end if;
  return e.segments;
end $$;
