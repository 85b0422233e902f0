-- The whole of metering, for many requests in one statement: may this token read, how many of the wanted records, the entry. The n-th
-- element of each array belongs to the n-th request; requests are ordered by balance. A token's balance and id come from token_lookup.
-- Everything is decided under the balances' locks, taken in the order of their ids; one that somebody else holds is waited for only
-- with p_waits, else its requests are busy and hold up nobody.
--
-- decision: granted, replayed; revoked, expired, exhausted; key_reused (another request under the same key); stale (the page was
-- resolved before the last change of coverage); busy.
create or replace function spend(
  p_balance_ids uuid[], p_token_ids uuid[], p_coverage_versions bigint[], p_segments text[], p_county_fips text[], p_request_ids text[],
  p_idempotency_keys text[], p_request_hashes bytea[], p_waits boolean
) returns table (
  n integer, decision text, plan text, entry_id uuid, records integer, segments integer[],
  remaining integer, overage_records integer, overage_unit_cents integer
) language plpgsql
-- One plan for good: planning anew costs more than spending, and rows are few and found by their keys whatever statistics say.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  v_coverage_version bigint;
  v_locked credit_balance[];
  v_balances credit_balance[] := '{}';
  v_entries ledger_entry[] := '{}';
  b credit_balance;
  e ledger_entry;
  q record;
  r record;
  v_count integer := 0;
  v_wanted integer;
begin
  if p_waits then
    v_locked := array(select c from credit_balance c where id = any(p_balance_ids) order by id for update);
  else
    v_locked := array(select c from credit_balance c where id = any(p_balance_ids) order by id for update skip locked);
  end if;
  select version into v_coverage_version from coverage_version;
  -- under the locks: a revocation that came while waiting counts
  for q in
    select w.*, t.revoked_at, c as balance
      from unnest(p_balance_ids, p_token_ids, p_coverage_versions, p_segments, p_county_fips, p_request_ids, p_idempotency_keys,
                  p_request_hashes) with ordinality
        as w (balance_id, token_id, coverage_version, segments, county_fips, request_id, idempotency_key, request_hash, position)
      left join unnest(v_locked) c on c.id = w.balance_id
      left join api_token t on t.balance_id = w.balance_id and t.id = w.token_id
     order by w.position
  loop
    n := q.position;
    entry_id := null;
    if (q.balance).id is null then
      decision := 'busy';
      return next;
      continue;
    end if;
    if b.id is distinct from q.balance_id then
      if b.id is not null then v_balances := array_append(v_balances, b); end if;
      b := q.balance;
      if b.period_end <= service_now() then b := open_due_period(b); end if;
    end if;
    plan := b.plan;
    overage_unit_cents := coalesce(b.overage_unit_cents, 0);
    decision := token_rejection(
      q.revoked_at, b.ends_at, b.period_end, b.renew_until, b.remaining, b.overage_unit_cents, b.overage_records, b.overage_cap);
    e := null;
    if q.idempotency_key is not null and decision is distinct from 'revoked' and decision is distinct from 'expired' then
      -- what this statement has granted already may be under the same key
      if v_count > 0 then perform write_entries(array_append(v_balances, b), v_entries); end if;
      v_balances := '{}';
      v_entries := '{}';
      v_count := 0;
      r := find_keyed_read(q.balance_id, q.token_id, q.idempotency_key);
      if r.id is not null and r.request_hash <> q.request_hash then
        decision := 'key_reused';
      elsif r.id is not null and not r.is_reversed then
        decision := 'replayed';
        r := repeat_read(b, r.id, q.request_id);
        b := r.b;
        entry_id := (r.e).id;
        records := (r.e).records;
        segments := (r.e).segments;
      else
        e.attempt := r.attempt + 1;
      end if;
    end if;
    if decision is null and q.coverage_version <> v_coverage_version then decision := 'stale'; end if;
    if decision is null then
      segments := q.segments::integer[];
      v_wanted := segment_records(segments);
      e.kind := 'read';
      e.credits := -least(v_wanted, b.remaining);
      e.overage_records := case
        when b.overage_unit_cents is null then 0
        else greatest(0, least(v_wanted + e.credits, coalesce(b.overage_cap - b.overage_records, v_wanted)))
      end;
      e.records := e.overage_records - e.credits;
      if e.records < v_wanted then segments := head_of_segments(segments, e.records); end if;
      e.segments := segments;
      e.token_id := q.token_id;
      e.county_fips := q.county_fips;
      e.request_id := q.request_id;
      e.idempotency_key := q.idempotency_key;
      e.request_hash := q.request_hash;
      r := next_entry(b, e);
      b := r.b;
      e := r.e;
      v_entries := array_append(v_entries, e);
      v_count := v_count + 1;
      decision := 'granted';
      entry_id := e.id;
      records := e.records;
    end if;
    remaining := b.remaining;
    overage_records := b.overage_records;
    return next;
  end loop;
  if v_count > 0 then perform write_entries(array_append(v_balances, b), v_entries); end if;
end $$;
