-- Writes one entry of any kind but a read (see spend), and updates its balance. The caller holds the balance's row lock and passes the
-- locked row, and an entry with its kind, movements and memo.
create or replace function append_entry(inout b credit_balance, inout e ledger_entry) language plpgsql as $$
declare r record;
begin
  r := next_entry(b, e);
  b := r.b;
  e := r.e;
  insert into ledger_entry select (e).*;
  update credit_balance
     set remaining = b.remaining, overage_records = b.overage_records, entry_count = b.entry_count, chain_head = b.chain_head
   where id = b.id;
  -- Billing looks at it again: what was taken back may be on a bill already.
  if e.overage_records <> 0 and b.is_metered then insert into overage_change (balance_id) values (b.id) on conflict do nothing; end if;
end $$;
