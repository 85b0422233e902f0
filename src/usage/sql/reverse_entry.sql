-- Takes a read back, once: its records were never delivered. Refused (null) for a read that was repeated: then somebody has them.
-- @return the reversal, also when it was written before
create or replace function reverse_entry(p_balance_id uuid, p_entry_id uuid, p_reason text, p_actor text) returns uuid
language plpgsql as $$
declare
  o ledger_entry;
  b credit_balance;
  e ledger_entry;
  r record;
  v_overage integer;
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
  -- overage comes back first: there is none while included records are left, though others paid for some while this read held these
  if o.period_start = b.period_start then
    v_overage := b.overage_records;
  else
    -- from its grant on, which stands before all else of it: times are out of order where the clock was set back at the period's end
    -- at the price that it had, which may have been taken away since
    select coalesce(sum(l.overage_records), 0), coalesce(max(l.overage_cents / nullif(l.overage_records, 0)), b.overage_unit_cents)
      into v_overage, b.overage_unit_cents from ledger_entry l
     where l.balance_id = b.id and l.period_start = o.period_start
       and l.sequence > coalesce(
         (select g.sequence from ledger_entry g where g.balance_id = b.id and g.period_start = o.period_start and g.kind = 'grant'),
         entries_before(b.id, o.period_start)
       );
  end if;
  e.overage_records := -least(o.records, greatest(0, v_overage));
  -- what was included in a period that is over has expired with it, and nothing comes back to a trial that was replaced
  e.credits := case when o.period_start = b.period_start and not b.is_closed then o.records + e.overage_records else 0 end;
  -- nor does a trial get more than it was granted: an operator may have made up for the read already
  if b.plan = 'trial' then e.credits := least(e.credits, b.grant_records - b.remaining); end if;
  e.period_start := o.period_start;
  e.county_fips := o.county_fips;
  e.request_id := o.request_id;
  e.reason := p_reason;
  e.actor := p_actor;
  r := append_entry(b, e);
  return (r.e).id;
end $$;
