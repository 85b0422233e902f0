-- Confirms that reads are about to be delivered, so that no sweep reverses them. The n-th element of both arrays belongs to the
-- n-th read.
-- @return null if all were confirmed, as nearly always; otherwise the request ids that were
create or replace function claim_undelivered(p_balance_ids uuid[], p_request_ids text[]) returns text[] language plpgsql
-- a generic plan, as in spend
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
declare v_claimed text[];
begin
  with claimed as (
    -- in the order of the table's key, like all statements that lock several of its rows, so that none deadlock
    delete from undelivered_read u using (
      select r.* from unnest(p_balance_ids, p_request_ids) as r (balance_id, request_id) order by r.balance_id, r.request_id
    ) r
     where u.balance_id = r.balance_id and u.request_id = r.request_id returning u.request_id
  )
  select coalesce(array_agg(request_id), '{}') into v_claimed from claimed;
  if cardinality(v_claimed) < cardinality(p_request_ids) then return v_claimed; end if;
  return null;
end $$;

-- How long after a read its server may still reverse it (reverse_spent): longer than it retries (delivery.ts).
-- For twice as long, showing the records counts as a delivery (show_read), so that even a clock that is set back makes no gift of them.
create or replace function taken_back_within() returns interval language sql immutable parallel safe as $$ select interval '3 minutes' $$;

-- Reverses a read once: its records were never delivered. Refused (null) for a read that was repeated, since then somebody has them.
-- @return the reversal, even if it existed already
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
  -- Overage is returned first: a period has none while included records are left, even if other reads paid overage because this read had
  -- used these records. In a past period at the price that its last reads paid: the balance's own may have been removed since.
  if o.period_start = b.period_start then
    v_overage := b.overage_records;
  else
    select p.records, coalesce(p.unit_cents, b.overage_unit_cents) into strict v_overage, b.overage_unit_cents
      from overage_by_period(b.id) p where p.period_start = o.period_start;
  end if;
  e.overage_records := -least(o.records, greatest(0, v_overage));
  -- Included records of a past period have expired with it, and a replaced trial gets nothing back.
  e.credits := case when o.period_start = b.period_start and not b.is_closed then o.records + e.overage_records else 0 end;
  -- A trial never exceeds its grant: an operator may have compensated for the read already.
  if b.plan = 'trial' then e.credits := least(e.credits, b.grant_records - b.remaining); end if;
  if b.token_caps ? o.token_id::text and o.period_start = b.period_start then
    b.token_records := b.token_records || jsonb_build_object(o.token_id, (b.token_records ->> o.token_id::text)::integer - o.records);
  end if;
  e.period_start := o.period_start;
  e.county_fips := o.county_fips;
  e.request_id := o.request_id;
  e.reason := p_reason;
  e.actor := p_actor;
  r := append_entry(b, e);
  return (r.e).id;
end $$;

-- Reverses the read of a request if it is still undelivered; does nothing if it was delivered, repeated, reversed or never committed.
-- The statement that deletes the row of undelivered_read decides: the server's before its first byte, or this one.
create or replace function reverse_undelivered(p_balance_id uuid, p_request_id text, p_reason text) returns uuid language plpgsql as $$
declare v_entry_id uuid;
begin
  perform from credit_balance where id = p_balance_id for update;
  delete from undelivered_read where balance_id = p_balance_id and request_id = p_request_id returning entry_id into v_entry_id;
  if v_entry_id is null then return null; end if;
  return reverse_entry(p_balance_id, v_entry_id, p_reason, null);
end $$;

-- Reverses reads that were not delivered in time: their server died, or lost its database before it knew that they were granted.
-- Uses the wall clock, not service_now(), which tests move. @return the number of reversals
create or replace function reverse_abandoned(p_older_than interval, p_limit integer) returns integer language plpgsql as $$
declare
  u record;
  v_count integer := 0;
begin
  for u in
    -- A locked balance waits for the next sweep. It is skipped before the limit counts, so that its reads do not crowd out all others.
    select w.balance_id, w.request_id from undelivered_read w join credit_balance b on b.id = w.balance_id
     where w.spent_at < clock_timestamp() - p_older_than
     order by w.balance_id, w.request_id limit p_limit
       for update of b skip locked
  loop
    -- A read that cannot be reversed must not block the others.
    begin
      if reverse_undelivered(u.balance_id, u.request_id, 'not delivered') is not null then v_count := v_count + 1; end if;
    exception when others then
      raise warning 'request % of balance % cannot be taken back: %', u.request_id, u.balance_id, sqlerrm;
    end;
  end loop;
  return v_count;
end $$;

-- Reverses the read of a request for the only server that could deliver it, and has not. A crash of Postgres empties undelivered_read
-- while servers live on, so the entry is searched in the ledger: by its id, or, if the id never arrived, among all entries that its
-- balance wrote since. Null if there is no entry, if it was repeated, or if it is too old: its account may have been shown the records.
-- If there is no entry, a hanging spend may still write one, and another crash before the sweep would leave it charged. So the request is
-- inserted into undelivered_read, whose key refuses that spend until the sweep removes the row.
create or replace function reverse_spent(p_balance_id uuid, p_request_id text, p_entry_id uuid, p_spent_within interval, p_reason text)
returns uuid language plpgsql as $$
declare v_entry_id uuid := p_entry_id;
begin
  perform from credit_balance where id = p_balance_id for update;
  if v_entry_id is null then
    select l.id into v_entry_id from ledger_entry l
     where l.balance_id = p_balance_id and l.sequence > entries_before(p_balance_id, service_now() - p_spent_within)
       and l.kind = 'read' and l.request_id = p_request_id
     order by l.sequence desc limit 1;
    if v_entry_id is null then
      insert into undelivered_read (balance_id, request_id) select id, p_request_id from credit_balance where id = p_balance_id
          on conflict do nothing;
    end if;
  end if;
  if v_entry_id is null or entry_time(v_entry_id) < service_now() - taken_back_within() then return null; end if;
  return reverse_entry(p_balance_id, v_entry_id, p_reason, null);
end $$;

-- The segments of a read that its account may see again; null if there is no such read, or it was reversed. Showing a read that could
-- still be reversed writes a replay, after which nothing reverses it. Its reason tells it from a caller's retry.
create or replace function show_read(p_account_id text, p_entry_id uuid, p_request_id text) returns integer[] language plpgsql as $$
declare
  e ledger_entry;
  b credit_balance;
  r record;
begin
  select l.* into e
    from credit_balance c join ledger_entry l on l.balance_id = c.id and l.sequence = entry_sequence(p_entry_id) and l.id = p_entry_id
   where c.account_id = p_account_id and l.kind in ('read', 'replay');
  if e.id is null then return null; end if;
  if e.kind = 'read' and e.records > 0 and (
    e.at > service_now() - 2 * taken_back_within()
    or exists (select from undelivered_read u where u.balance_id = e.balance_id and u.entry_id = e.id)
  ) then
    select * into strict b from credit_balance where id = e.balance_id for update;
    if not exists (select from ledger_entry l where l.balance_id = e.balance_id and (l.repeats = e.id or l.reverses = e.id)) then
      r := repeat_read(b, e.id, p_request_id, null, 'shown in console');
      -- A read of pruned records gets no replay and may be reversed, so it is not shown, even if a server has its page in memory.
      if (r.e).id is null then return null; end if;
      delete from undelivered_read u where u.balance_id = e.balance_id and u.entry_id = e.id;
    end if;
  end if;
  if exists (select from ledger_entry l where l.balance_id = e.balance_id and l.reverses = e.id) then return null; end if;
  return e.segments;
end $$;
