-- The only writer of entries and of what they make of their balances. p_balances: those of the entries, as next_entry left them.
create or replace function write_entries(p_balances credit_balance[], p_entries ledger_entry[]) returns void language plpgsql as $$
begin
  insert into ledger_entry select * from unnest(p_entries);
  update credit_balance c
     set remaining = b.remaining, overage_records = b.overage_records, entry_count = b.entry_count, chain_head = b.chain_head
    from unnest(p_balances) b
   where c.id = b.id;
  -- until its first byte is on the way a read can be taken back, by whoever finds it here
  insert into undelivered_read (balance_id, request_id, entry_id)
  select e.balance_id, e.request_id, e.id from unnest(p_entries) e where e.kind = 'read' and e.records > 0;
  insert into overage_report (balance_id, entry_id, records, at)
  select e.balance_id, e.id, e.overage_records, e.at
    from unnest(p_entries) e join unnest(p_balances) b on b.id = e.balance_id
   where e.overage_records <> 0 and b.is_metered;
end $$;
