-- Metering, for many requests in one statement: may the token read, how many of the wanted records, and the entry. The n-th element of
-- each array belongs to the n-th request; requests are ordered by balance. A token's balance and id come from token_lookup.
-- Everything is decided under the balances' locks, taken in the order of their ids. A balance locked by another transaction is skipped
-- (`busy`) unless p_waits is true.
--
-- decision: granted; replayed (without an entry if the records were pruned or the key has expired: see may_repeat); revoked, expired,
-- exhausted; invalid (the token or its balance does not exist: a standby took over that had not received it); key_reused (another request
-- under the same key); stale (the page was found before the last change of coverage); busy; again (this statement grants the same key: ask
-- again). A token with too many free entries is also `busy`, a word that older servers know: then `records` has the seconds to wait,
-- otherwise it is null. A token at its own cap is `exhausted`: then `records` has the cap, otherwise it is null.
-- entry_hash: of the entry, which is the caller's receipt.
create or replace function spend_for_receipt(
  p_balance_ids uuid[], p_token_ids uuid[], p_coverage_versions bigint[], p_segments text[], p_county_fips text[], p_request_ids text[],
  p_idempotency_keys text[], p_request_hashes bytea[], p_waits boolean
) returns table (
  n integer, decision text, plan text, entry_id uuid, records integer, segments integer[],
  remaining integer, overage_records integer, overage_unit_cents integer, entry_hash bytea
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
  -- The balance of the current requests, and what changes between them besides `remaining` and `overage_records`.
  b record;
  v_row credit_balance;
  v_balance_id uuid;
  v_sequence integer;
  v_chain_head bytea;
  v_keys text[];
  v_newest integer;
  v_repeated uuid[] := '{}';
  -- the token of each granted page without records
  v_empty uuid[] := '{}';
  v_attempt integer;
  v_wanted integer;
  v_credits integer;
  v_overage integer;
  -- What capped tokens of the current balance were charged in its period, and this of all balances where it has changed.
  v_token_records jsonb;
  v_cap_left integer;
  v_capped_balances uuid[] := '{}';
  v_capped_records jsonb[] := '{}';
  -- The granted entries, one array per column: building rows of ledger_entry here would cost more than all the rest.
  v_count integer := 0;
  g_n integer[] := '{}';
  g_sequence integer[] := '{}';
  g_id uuid[] := '{}';
  g_records integer[] := '{}';
  g_credits integer[] := '{}';
  g_overage integer[] := '{}';
  g_cents bigint[] := '{}';
  g_remaining integer[] := '{}';
  g_overage_after integer[] := '{}';
  g_period_start timestamptz[] := '{}';
  g_segments text[] := '{}';
  g_attempt integer[] := '{}';
  g_previous_hash bytea[] := '{}';
  g_hash bytea[] := '{}';
  g_is_newest boolean[] := '{}';
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
    for v_row in select c.* from credit_balance c where c.id = any(v_locked) and c.period_end > v_looked_at and c.period_end <= v_now loop
      perform open_due_period(v_row);
    end loop;
    exit when not found;
    v_looked_at := v_now;
  end loop;
  select version into v_coverage_version from coverage_version;
  for q in
    select w.*, t.id as known_token_id, t.revoked_at, c.id as locked_id, c.plan, c.remaining, c.overage_unit_cents, c.overage_cap, c.overage_records,
           c.period_start, c.period_end, c.ends_at, c.renew_until, c.entry_count, c.chain_head, c.token_caps, c.token_records
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
    if q.locked_id is null then
      decision := case when p_waits then 'invalid' else 'busy' end;
      return next;
      continue;
    end if;
    if v_balance_id is distinct from q.balance_id then
      v_balance_id := q.balance_id;
      b := q;
      plan := b.plan;
      overage_unit_cents := coalesce(b.overage_unit_cents, 0);
      remaining := b.remaining;
      overage_records := b.overage_records;
      v_sequence := b.entry_count;
      v_chain_head := b.chain_head;
      v_token_records := b.token_records;
      v_keys := '{}';
      v_newest := null;
    end if;
    if q.known_token_id is null then
      decision := 'invalid';
      return next;
      continue;
    end if;
    decision := token_rejection(
      q.revoked_at, b.ends_at, b.period_end,
      -- periods that may be opened were opened above
      case when b.period_end <= v_now then '-infinity' else b.renew_until end,
      remaining, b.overage_unit_cents, overage_records, b.overage_cap);
    v_cap_left := case when b.token_caps is not null then token_cap_left(b.token_caps, v_token_records, q.token_id) end;
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
        records := free_entry_wait(q.token_id, v_now, cardinality(array_positions(v_empty, q.token_id)));
        if records is not null then
          decision := 'busy';
          return next;
          continue;
        end if;
        decision := 'replayed';
        select c.* into v_row from credit_balance c where c.id = q.balance_id;
        v_row.remaining := remaining;
        v_row.overage_records := overage_records;
        v_row.entry_count := v_sequence;
        v_row.chain_head := v_chain_head;
        r := repeat_read(v_row, r.id, q.request_id, v_now);
        entry_id := (r.e).id;
        entry_hash := (r.e).hash;
        records := (r.e).records;
        segments := (r.e).segments;
        if entry_id is null then
          return next;
          continue;
        end if;
        v_repeated := array_append(v_repeated, (r.e).repeats);
        v_sequence := (r.b).entry_count;
        v_chain_head := (r.b).chain_head;
        if v_newest is not null then g_is_newest[v_newest] := false; end if;
        v_newest := null;
      end if;
    end if;
    if decision is null and q.coverage_version <> v_coverage_version then decision := 'stale'; end if;
    if decision is null then
      segments := q.segments::integer[];
      v_wanted := segment_records(segments);
      if v_wanted = 0 then
        records := free_entry_wait(q.token_id, v_now, cardinality(array_positions(v_empty, q.token_id)));
        if records is not null then
          decision := 'busy';
          return next;
          continue;
        end if;
        v_empty := array_append(v_empty, q.token_id);
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
      remaining := remaining - v_credits;
      overage_records := overage_records + v_overage;
      if v_cap_left is not null then
        v_token_records := coalesce(v_token_records, '{}')
          || jsonb_build_object(q.token_id, coalesce((v_token_records ->> q.token_id::text)::integer, 0) + records);
        if q.balance_id <> all(v_capped_balances) then v_capped_balances := array_append(v_capped_balances, q.balance_id); end if;
        v_capped_records[cardinality(v_capped_balances)] := v_token_records;
      end if;
      v_sequence := v_sequence + 1;
      entry_id := entry_id(v_now, v_sequence);
      if v_newest is not null then g_is_newest[v_newest] := false; end if;
      v_count := v_count + 1;
      v_newest := v_count;
      if q.idempotency_key is not null then v_keys := array_append(v_keys, q.idempotency_key); end if;
      g_n[v_count] := n;
      g_sequence[v_count] := v_sequence;
      g_id[v_count] := entry_id;
      g_records[v_count] := records;
      g_credits[v_count] := -v_credits;
      g_overage[v_count] := v_overage;
      g_cents[v_count] := v_overage::bigint * overage_unit_cents;
      g_remaining[v_count] := remaining;
      g_overage_after[v_count] := overage_records;
      g_period_start[v_count] := b.period_start;
      g_segments[v_count] := segments;
      g_attempt[v_count] := v_attempt;
      g_previous_hash[v_count] := v_chain_head;
      v_chain_head := entry_hash(
        v_chain_head, entry_id, q.balance_id, v_sequence, q.token_id, 'read', v_now, records, -v_credits, v_overage,
        g_cents[v_count], remaining, overage_records, b.period_start, segments, q.county_fips, v_attempt, null,
        null, q.request_hash, q.request_id, q.idempotency_key, null, null);
      entry_hash := v_chain_head;
      g_hash[v_count] := v_chain_head;
      g_is_newest[v_count] := true;
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
  if v_count = 0 then return; end if;
  insert into ledger_entry (
    balance_id, sequence, id, token_id, kind, at, records, credits, overage_records, overage_cents, balance_after, overage_after,
    period_start, segments, county_fips, request_id, idempotency_key, attempt, request_hash, previous_hash, hash)
  select p_balance_ids[g.n], g.sequence, g.id, p_token_ids[g.n], 'read', v_now, g.records, g.credits, g.overage, g.cents, g.remaining,
         g.overage_after, g.period_start, g.segments::integer[], p_county_fips[g.n], p_request_ids[g.n], p_idempotency_keys[g.n],
         g.attempt, p_request_hashes[g.n], g.previous_hash, g.hash
    from unnest(g_n, g_sequence, g_id, g_records, g_credits, g_overage, g_cents, g_remaining, g_overage_after, g_period_start, g_segments,
                g_attempt, g_previous_hash, g_hash)
      as g (n, sequence, id, records, credits, overage, cents, remaining, overage_after, period_start, segments,
            attempt, previous_hash, hash);
  update credit_balance c
     set remaining = g.remaining, overage_records = g.overage_after, entry_count = g.sequence, chain_head = g.hash
    from unnest(g_n, g_sequence, g_remaining, g_overage_after, g_hash, g_is_newest)
      as g (n, sequence, remaining, overage_after, hash, is_newest)
   where g.is_newest and c.id = p_balance_ids[g.n];
  -- Apart from the update above, so that reads of balances without caps pay nothing for it.
  if v_capped_balances <> '{}' then
    update credit_balance c set token_records = w.records from unnest(v_capped_balances, v_capped_records) as w (id, records) where c.id = w.id;
  end if;
  -- Until its first byte is sent, a read in this table can be reversed.
  insert into undelivered_read (balance_id, request_id, entry_id)
  select p_balance_ids[g.n], p_request_ids[g.n], g.id from unnest(g_n, g_id, g_records) as g (n, id, records) where g.records > 0;
end $$;
