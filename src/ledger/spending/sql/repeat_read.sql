-- Writes down that a read is delivered once more, at no charge. From here on it cannot be taken back: somebody has its records.
-- Where its records are no longer kept nothing is written down, and e has its segments but no id. The caller holds the balance's lock,
-- and then takes the read out of undelivered_read. p_at: when it was repeated.
create or replace function repeat_read(
  inout b credit_balance, p_read_id uuid, p_request_id text, p_at timestamptz, out e ledger_entry
) language plpgsql as $$
declare
  v_read ledger_entry;
  r record;
begin
  select * into strict v_read from ledger_entry where balance_id = b.id and sequence = entry_sequence(p_read_id) and id = p_read_id;
  e.records := v_read.records;
  e.segments := v_read.segments;
  if not are_kept(v_read.segments) then return; end if;
  e.kind := 'replay';
  e.at := p_at;
  e.repeats := v_read.id;
  e.token_id := v_read.token_id;
  e.county_fips := v_read.county_fips;
  e.request_id := p_request_id;
  r := append_entry(b, e);
  b := r.b;
  e := r.e;
end $$;
