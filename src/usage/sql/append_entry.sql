-- Writes one entry of a balance. The caller holds the balance's row lock and hands over the row that it locked, and an entry with
-- its kind, movements and memo.
create or replace function append_entry(inout b credit_balance, inout e ledger_entry) language plpgsql as $$
declare r record;
begin
  r := next_entry(b, e);
  b := r.b;
  e := r.e;
  perform write_entries(array[b], array[e]);
end $$;
