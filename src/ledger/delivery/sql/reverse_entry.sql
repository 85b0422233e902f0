-- Reverses a read once: its records were never delivered. Refused (null) for a read that was repeated, since then somebody has them.
-- @return the reversal, even if it existed already
create or replace function reverse_entry(p_balance_id uuid, p_entry_id uuid, p_reason text, p_actor text) returns uuid
language plpgsql as $$
declare
  o ledger_entry;
  b credit_balance;
  e ledger_entry;
  r record;
  v_next_grant integer;
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
  -- Overage is returned first: a period has none while included records are left, even if other reads paid overage because this read had
  -- used these records.
  if o.period_start = b.period_start then
    v_overage := b.overage_records;
  else
    -- The period's overage when the next period was opened, less what was reversed since. Not the sum of all its entries: there may be
    -- millions, and a reversal has seconds. By sequence, since times are out of order if the clock was set back.
    select g.sequence into strict v_next_grant from ledger_entry g
     where g.balance_id = b.id and g.kind = 'grant' and g.period_start > o.period_start order by g.period_start limit 1;
    select l.overage_after + coalesce((
             select sum(v.overage_records) from ledger_entry v
              where v.balance_id = b.id and v.sequence > v_next_grant and v.period_start = o.period_start
                and v.kind <> 'read' and v.reverses is not null
           ), 0) into strict v_overage
      from ledger_entry l where l.balance_id = b.id and l.sequence = v_next_grant - 1;
    -- at the price that its last reads paid: the balance's own may have been removed since
    if v_overage > 0 then
      select l.overage_cents / l.overage_records into strict b.overage_unit_cents from ledger_entry l
       where l.balance_id = b.id and l.sequence < v_next_grant and l.overage_records > 0 order by l.sequence desc limit 1;
    end if;
  end if;
  e.overage_records := -least(o.records, greatest(0, v_overage));
  -- Included records of a past period have expired with it, and a replaced trial gets nothing back.
  e.credits := case when o.period_start = b.period_start and not b.is_closed then o.records + e.overage_records else 0 end;
  -- A trial never exceeds its grant: an operator may have compensated for the read already.
  if b.plan = 'trial' then e.credits := least(e.credits, b.grant_records - b.remaining); end if;
  if b.token_caps ? o.token_id::text and o.period_start = b.period_start then
    update credit_balance
       set token_records = token_records || jsonb_build_object(o.token_id, (token_records ->> o.token_id::text)::integer - o.records)
     where id = b.id;
  end if;
  e.period_start := o.period_start;
  e.county_fips := o.county_fips;
  e.request_id := o.request_id;
  e.reason := p_reason;
  e.actor := p_actor;
  r := append_entry(b, e);
  return (r.e).id;
end $$;
