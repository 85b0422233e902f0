-- Writes down that a read is delivered once more, at no charge. From here on it cannot be taken back: somebody has its records.
-- The caller holds the balance's lock.
create or replace function repeat_read(b credit_balance, p_read ledger_entry, p_request_id text) returns uuid language plpgsql as $$
declare
  e ledger_entry;
  r record;
begin
  e.kind := 'replay';
  e.repeats := p_read.id;
  e.token_id := p_read.token_id;
  e.records := p_read.records;
  e.segments := p_read.segments;
  e.county_fips := p_read.county_fips;
  e.request_id := p_request_id;
  r := append_entry(b, e);
  e := r.e;
  delete from undelivered_read u where u.balance_id = b.id and u.entry_id = p_read.id;
  return e.id;
end $$;
