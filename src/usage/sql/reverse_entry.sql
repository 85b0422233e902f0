-- Takes a read back, once: its records were never delivered. Refused (null) for a read that was repeated: then somebody has them.
-- @return the reversal, also when it was written before
create or replace function reverse_entry(p_balance_id uuid, p_entry_id uuid, p_reason text, p_actor text) returns uuid
language plpgsql as $$
declare
  o ledger_entry;
  b credit_balance;
  e ledger_entry;
  r record;
  v_lifted integer;
begin
  select * into strict b from credit_balance where id = p_balance_id for update;
  select * into e from ledger_entry where balance_id = p_balance_id and reverses = p_entry_id;
  if e.id is not null then return e.id; end if;
  if exists (select from ledger_entry where balance_id = p_balance_id and repeats = p_entry_id) then return null; end if;
  select * into strict o from ledger_entry
   where balance_id = p_balance_id and sequence = entry_sequence(p_entry_id) and id = p_entry_id and kind = 'read';
  delete from undelivered_read where balance_id = p_balance_id and entry_id = p_entry_id;
  e := null;
  e.kind := 'reversal';
  e.reverses := o.id;
  e.token_id := o.token_id;
  e.records := -o.records;
  -- what was included in a period that is over has expired with it, and nothing comes back to a trial that was replaced
  e.credits := case when o.period_start = b.period_start and not b.is_closed then -o.credits else 0 end;
  -- nor does a trial get more than it was granted: an operator may have made up for the read already
  if b.plan = 'trial' then e.credits := least(e.credits, b.grant_records - b.remaining); end if;
  e.overage_records := -o.overage_records;
  -- others paid for overage while this read held what is included: that comes back first, as there is none while credits are left
  if o.period_start = b.period_start then
    v_lifted := least(e.credits, greatest(0, b.overage_records - o.overage_records));
    e.credits := e.credits - v_lifted;
    e.overage_records := e.overage_records - v_lifted;
  end if;
  e.period_start := o.period_start;
  e.county_fips := o.county_fips;
  e.request_id := o.request_id;
  e.reason := p_reason;
  e.actor := p_actor;
  r := append_entry(b, e);
  return (r.e).id;
end $$;
