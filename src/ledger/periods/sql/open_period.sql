-- Closes the period of b and opens the given one: the rest of the old grant expires, and the new grant is added, then the new terms.
create or replace function open_period(inout b credit_balance, p_start timestamptz, p_end timestamptz) language plpgsql as $$
declare
  e ledger_entry;
  r record;
begin
  if b.remaining > 0 then
    e.kind := 'expiry';
    e.credits := -b.remaining;
    r := append_entry(b, e);
    b := r.b;
  end if;
  b.period_start := p_start;
  b.period_end := p_end;
  b.overage_records := 0;
  b.token_records := null;
  update credit_balance set period_start = p_start, period_end = p_end, overage_records = 0, token_records = null where id = b.id;
  e := null;
  e.kind := 'grant';
  e.credits := b.grant_records;
  r := append_entry(b, e);
  b := record_terms(r.b);
end $$;
