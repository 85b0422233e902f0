-- The latest read of a token under an idempotency key, and whether it was reversed; all null if there is none.
create or replace function find_keyed_read(
  p_balance_id uuid, p_token_id uuid, p_idempotency_key text,
  out id uuid, out request_hash bytea, out attempt integer, out is_reversed boolean
) language plpgsql as $$
begin
  select l.id, l.request_hash, l.attempt,
         exists (select from ledger_entry v where v.balance_id = p_balance_id and v.reverses = l.id)
    into id, request_hash, attempt, is_reversed
    from ledger_entry l
   where l.balance_id = p_balance_id and l.token_id = p_token_id and l.idempotency_key = p_idempotency_key
   order by l.attempt desc limit 1;
end $$;

-- Whether a key may repeat its read once more: within 24 hours, a hundred times. Showing the records to the account counts as one
-- repeat (show_read).
create or replace function may_repeat(p_balance_id uuid, p_read_id uuid) returns boolean language plpgsql as $$
begin
  return entry_time(p_read_id) > service_now() - interval '24 hours'
    and not exists (select from ledger_entry l where l.balance_id = p_balance_id and l.repeats = p_read_id offset 99);
end $$;

-- The seconds until a token may have another entry that costs no credit: a replay, or a page without records. Null: now.
-- In any minute there may be 120, where all such pages of one county count as one. Counted singly there may be 600.
-- Entries ahead of the clock (it was set back) do not count. p_county_fips: the page's, empty without one; null: a replay.
-- p_unwritten: what the running statement has granted but not written yet.
create or replace function free_answer_wait(
  p_token_id uuid, p_county_fips text, p_now timestamptz, p_unwritten ledger_entry[]
) returns integer language plpgsql as $$
declare
  v_span constant interval := '1 minute';
begin
  return (
    with free as (
      -- the condition of the index ledger_entry_free
      select l.at, case l.kind when 'read' then coalesce(l.county_fips, '') else l.id::text end as counted from ledger_entry l
       where l.token_id = p_token_id and l.at > p_now - v_span and l.at <= p_now and (l.kind = 'replay' or (l.kind = 'read' and l.records = 0))
      union all
      select u.at, coalesce(u.county_fips, '') from unnest(p_unwritten) u where u.token_id = p_token_id and u.records = 0
    )
    select ceil(extract(epoch from greatest(
      (select at from free order by at desc offset 599 limit 1),
      (select max(at) from free where not exists (select from free where counted = p_county_fips)
        group by counted order by 1 desc offset 119 limit 1)
    ) + v_span - p_now)));
end $$;

-- Writes a replay: the read is delivered once more at no charge. From here on it cannot be reversed, since somebody has its records.
-- If its records were pruned, nothing is written, and e has its segments but no id. The caller holds the balance's lock, and then deletes
-- the read from undelivered_read. p_at: the time of the replay.
create or replace function repeat_read(
  inout b credit_balance, p_read_id uuid, p_request_id text, p_at timestamptz, p_reason text, out e ledger_entry
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
  e.reason := p_reason;
  r := append_entry(b, e);
  b := r.b;
  e := r.e;
end $$;

-- The number of records in segments (flat triples: release id, first ordinal, count).
create or replace function segment_records(p_segments integer[]) returns integer language plpgsql immutable as $$
declare v_records integer := 0;
begin
  for i in 3 .. cardinality(p_segments) by 3 loop
    v_records := v_records + p_segments[i];
  end loop;
  return v_records;
end $$;

-- The first records of segments: the granted part of a request.
create or replace function head_of_segments(p_segments integer[], p_records integer) returns integer[] language plpgsql immutable as $$
declare
  v_head integer[] := '{}';
  v_left integer := p_records;
begin
  for i in 3 .. cardinality(p_segments) by 3 loop
    exit when v_left = 0;
    v_head := v_head || array[p_segments[i - 2], p_segments[i - 1], least(p_segments[i], v_left)];
    v_left := v_left - least(p_segments[i], v_left);
  end loop;
  return v_head;
end $$;

-- Metering, for many requests in one statement: may the token read, how many of the wanted records, and the entry. The n-th element of
-- each array belongs to the n-th request; requests are ordered by balance. A token's balance and id come from token_lookup.
-- Everything is decided under the balances' locks, taken in the order of their ids. A balance locked by another transaction is skipped
-- (`busy`) unless p_waits is true.
--
-- decision: granted; replayed (without an entry if the records were pruned or the key has expired: see may_repeat); revoked, expired;
-- exhausted (`records` is the cap if the token is at its own, otherwise null); invalid (the token or its balance does not exist: a standby
-- took over that had not received it); key_reused (another request under the same key); stale (the page was found before the last change of
-- coverage); too_many_requests (free ones: `records` is the seconds to wait); busy; again (this statement grants the same key: ask again).
-- entry_hash: of the entry, which is the caller's receipt.
create or replace function spend(
  p_balance_ids uuid[], p_token_ids uuid[], p_coverage_versions bigint[], p_segments text[], p_county_fips text[], p_request_ids text[],
  p_idempotency_keys text[], p_request_hashes bytea[], p_waits boolean
) returns table (
  n integer, decision text, plan text, entry_id uuid, records integer, segments integer[],
  remaining integer, overage_records integer, overage_unit_cents integer, overage_left integer, entry_hash bytea
) language plpgsql
-- A generic plan: planning costs more than spending, and the few rows are found by their keys whatever the statistics say.
-- What cannot be found by a key costs 1e10 by these settings, and Postgres would compile it: a spend took 5.9 ms of CPU instead of 0.5.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
declare
  v_now timestamptz;
  v_looked_at timestamptz := '-infinity';
  v_locked uuid[];
  v_coverage_version bigint;
  q record;
  r record;
  -- The balance of the current requests, as the entries before leave it, and the keys that these have granted.
  b credit_balance;
  v_keys text[];
  v_attempt integer;
  v_wanted integer;
  v_credits integer;
  v_overage integer;
  v_cap_left integer;
  e ledger_entry;
  -- The granted entries, and their balances after each.
  v_entries ledger_entry[] := '{}';
  v_balances credit_balance[] := '{}';
  v_repeated uuid[] := '{}';
begin
  if p_waits then
    v_locked := array(select id from credit_balance where id = any(p_balance_ids) order by id for update);
  else
    v_locked := array(select id from credit_balance where id = any(p_balance_ids) order by id for update skip locked);
  end if;
  -- Under the locks, so that a period that ended or a revocation that came while waiting counts. Repeated after each opened period: reads
  -- must be later than the grants that pay for them, and other periods may have ended meanwhile.
  loop
    v_now := service_now();
    for b in select c.* from credit_balance c where c.id = any(v_locked) and c.period_end > v_looked_at and c.period_end <= v_now loop
      perform open_due_period(b);
    end loop;
    exit when not found;
    v_looked_at := v_now;
  end loop;
  b := null;
  select version into v_coverage_version from coverage_version;
  for q in
    select w.*, t.id as known_token_id, t.revoked_at, c as balance
      from unnest(p_balance_ids, p_token_ids, p_coverage_versions, p_segments, p_county_fips, p_request_ids, p_idempotency_keys,
                  p_request_hashes) with ordinality
        as w (balance_id, token_id, coverage_version, segments, county_fips, request_id, idempotency_key, request_hash, position)
      left join credit_balance c on c.id = w.balance_id and c.id = any(v_locked)
      left join api_token t on t.balance_id = w.balance_id and t.id = w.token_id
     order by w.position
  loop
    n := q.position;
    entry_id := null;
    entry_hash := null;
    records := null;
    if b.id is distinct from q.balance_id then
      b := q.balance;
      v_keys := '{}';
    end if;
    plan := b.plan;
    overage_unit_cents := coalesce(b.overage_unit_cents, 0);
    remaining := b.remaining;
    overage_records := b.overage_records;
    overage_left := b.overage_cap - least(b.overage_cap, overage_records);
    if b.id is null or q.known_token_id is null then
      decision := case when b.id is null and not p_waits then 'busy' else 'invalid' end;
      return next;
      continue;
    end if;
    decision := token_rejection(
      q.revoked_at, b.ends_at, b.period_end,
      -- periods that may be opened were opened above
      case when b.period_end <= v_now then '-infinity' else b.renew_until end,
      remaining, b.overage_unit_cents, overage_records, b.overage_cap);
    v_cap_left := case when b.token_caps is not null then token_cap_left(b.token_caps, b.token_records, q.token_id) end;
    if v_cap_left = 0 and decision is null then
      decision := 'exhausted';
      records := (b.token_caps ->> q.token_id::text)::integer;
    end if;
    v_attempt := 0;
    if q.idempotency_key is not null and decision is distinct from 'revoked' and decision is distinct from 'expired' then
      r := find_keyed_read(q.balance_id, q.token_id, q.idempotency_key);
      if q.idempotency_key = any(v_keys) then
        decision := 'again';
      elsif r.id is null or r.is_reversed then
        v_attempt := coalesce(r.attempt + 1, 0);
      elsif r.request_hash <> q.request_hash then
        decision := coalesce(decision, 'key_reused');
      elsif not may_repeat(q.balance_id, r.id) then
        decision := coalesce(decision, 'replayed');
      else
        records := free_answer_wait(q.token_id, null, v_now, v_entries);
        decision := case when records is null then 'replayed' else 'too_many_requests' end;
        if records is null then
          r := repeat_read(b, r.id, q.request_id, v_now, null);
          b := r.b;
          e := r.e;
          entry_id := e.id;
          entry_hash := e.hash;
          records := e.records;
          segments := e.segments;
          if entry_id is not null then v_repeated := array_append(v_repeated, e.repeats); end if;
        end if;
      end if;
    end if;
    if decision is null and q.coverage_version <> v_coverage_version then decision := 'stale'; end if;
    if decision is null then
      segments := q.segments::integer[];
      v_wanted := segment_records(segments);
      if v_wanted = 0 then
        records := free_answer_wait(q.token_id, coalesce(q.county_fips, ''), v_now, v_entries);
        if records is not null then
          decision := 'too_many_requests';
          return next;
          continue;
        end if;
      end if;
      -- `least` ignores null: no cap
      v_credits := least(v_wanted, v_cap_left, remaining);
      v_overage := case
        when b.overage_unit_cents is null then 0
        else greatest(0, least(v_wanted - v_credits, v_cap_left - v_credits, coalesce(b.overage_cap - overage_records, v_wanted)))
      end;
      records := v_credits + v_overage;
      -- The period ended between v_now and token_rejection's clock, with no credits left. An empty page would say that there are no more.
      if records = 0 and v_wanted > 0 then
        decision := 'exhausted';
        return next;
        continue;
      end if;
      if records < v_wanted then segments := head_of_segments(segments, records); end if;
      e := null;
      e.kind := 'read';
      e.at := v_now;
      e.token_id := q.token_id;
      e.records := records;
      e.credits := -v_credits;
      e.overage_records := v_overage;
      e.segments := segments;
      e.county_fips := q.county_fips;
      e.request_id := q.request_id;
      e.idempotency_key := q.idempotency_key;
      e.attempt := v_attempt;
      e.request_hash := q.request_hash;
      r := next_entry(b, e);
      b := r.b;
      e := r.e;
      remaining := b.remaining;
      overage_records := b.overage_records;
      overage_left := overage_left - v_overage;
      if q.idempotency_key is not null then v_keys := array_append(v_keys, q.idempotency_key); end if;
      if v_cap_left is not null then
        b.token_records := coalesce(b.token_records, '{}')
          || jsonb_build_object(q.token_id, coalesce((b.token_records ->> q.token_id::text)::integer, 0) + records);
      end if;
      v_entries := array_append(v_entries, e);
      v_balances := array_append(v_balances, b);
      entry_id := e.id;
      entry_hash := e.hash;
      decision := 'granted';
    end if;
    return next;
  end loop;
  if v_repeated <> '{}' then
    -- Replayed reads are not reversed any more. Locks the rows in the order of claim_undelivered.
    delete from undelivered_read u using (
      select w.balance_id, w.request_id from undelivered_read w
       where w.balance_id = any(v_locked) and w.entry_id = any(v_repeated)
       order by w.balance_id, w.request_id for update
    ) w
     where u.balance_id = w.balance_id and u.request_id = w.request_id;
  end if;
  if cardinality(v_entries) = 0 then return; end if;
  insert into ledger_entry select * from unnest(v_entries);
  update credit_balance c
     set remaining = g.remaining, overage_records = g.overage_records, token_records = g.token_records, entry_count = g.entry_count,
         last_entry_at = g.last_entry_at, chain_head = g.chain_head
    from (select distinct on (id) * from unnest(v_balances) order by id, entry_count desc) g
   where c.id = g.id and c.entry_count < g.entry_count;
  -- Until its first byte is sent, a read in this table can be reversed.
  insert into undelivered_read (balance_id, request_id, entry_id)
  select g.balance_id, g.request_id, g.id from unnest(v_entries) g where g.records > 0;
end $$;
