-- Where the next entry of a balance stands and what it comes to: position, results and hash are filled in here, and the balance is
-- as it is after it. Writes nothing. The caller holds the balance's row lock and hands over the row that it locked.
create or replace function next_entry(inout b credit_balance, inout e ledger_entry) language plpgsql as $$
begin
  e.at := coalesce(e.at, service_now());
  e.balance_id := b.id;
  e.sequence := b.entry_count + 1;
  e.id := entry_id(e.at, e.sequence);
  e.period_start := coalesce(e.period_start, b.period_start);
  e.records := coalesce(e.records, 0);
  e.credits := coalesce(e.credits, 0);
  e.overage_records := coalesce(e.overage_records, 0);
  e.overage_cents := e.overage_records::bigint * coalesce(b.overage_unit_cents, 0);
  e.segments := coalesce(e.segments, '{}');
  e.attempt := coalesce(e.attempt, 0);
  b.remaining := b.remaining + e.credits;
  -- a late reversal corrects the overage of its own period, not of the current one
  if e.period_start = b.period_start then
    b.overage_records := b.overage_records + e.overage_records;
  end if;
  e.balance_after := b.remaining;
  e.overage_after := b.overage_records;
  e.previous_hash := b.chain_head;
  e.hash := ledger_hash(e);
  b.entry_count := e.sequence;
  b.chain_head := e.hash;
end $$;
