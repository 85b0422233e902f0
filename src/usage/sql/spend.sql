-- The whole of metering: may this token read, how many of the wanted records, the entry. It names one balance and one token of
-- it (token_lookup knows both by the token's hash); everything is decided under the balance's lock.
--
-- decision: granted, replayed; revoked, expired, exhausted; key_reused (another request under the same key); stale (the page was
-- resolved before the last change of coverage); busy (somebody else holds the balance, and the caller would not wait).
create or replace function spend(
  p_balance_id uuid, p_token_id uuid, p_coverage_version bigint, p_segments integer[], p_county_fips text, p_request_id text,
  p_idempotency_key text, p_request_hash bytea, p_waits boolean,
  out decision text, out plan text, out entry_id uuid, out records integer, out segments integer[],
  out remaining integer, out overage_records integer, out overage_unit_cents integer
) language plpgsql as $$
declare
  b credit_balance;
  e ledger_entry;
  v_revoked_at timestamptz;
  v_wanted integer := 0;
  v_included integer;
  v_left integer;
  r record;
begin
  if p_waits then
    select * into strict b from credit_balance where id = p_balance_id for update;
  else
    select * into b from credit_balance where id = p_balance_id for update skip locked;
    if b.id is null then
      decision := 'busy';
      return;
    end if;
  end if;
  -- under the lock: a revocation that came while waiting counts
  select t.revoked_at into strict v_revoked_at from api_token t where t.balance_id = p_balance_id and t.id = p_token_id;
  if b.period_end <= service_now() then b := open_due_period(b); end if;
  plan := b.plan;
  remaining := b.remaining;
  overage_records := b.overage_records;
  overage_unit_cents := coalesce(b.overage_unit_cents, 0);
  decision := token_rejection(
    v_revoked_at, b.ends_at, b.period_end, b.renew_until, b.remaining, b.overage_unit_cents, b.overage_records, b.overage_cap);
  if decision in ('revoked', 'expired') then return; end if;

  if p_idempotency_key is not null then
    select * into e from ledger_entry l
     where l.balance_id = p_balance_id and l.token_id = p_token_id and l.idempotency_key = p_idempotency_key and l.kind = 'read'
     order by l.attempt desc limit 1;
    if e.id is not null then
      if e.request_hash <> p_request_hash then
        decision := 'key_reused';
        return;
      end if;
      if not exists (select from ledger_entry l where l.balance_id = p_balance_id and l.reverses = e.id) then
        decision := 'replayed';
        entry_id := repeat_read(b, e, p_request_id);
        records := e.records;
        segments := e.segments;
        return;
      end if;
      v_left := e.attempt + 1;
      e := null;
      e.attempt := v_left;
    end if;
  end if;
  if decision is not null then return; end if;
  if p_coverage_version <> (select version from coverage_version) then
    decision := 'stale';
    return;
  end if;

  for i in 3 .. coalesce(array_length(p_segments, 1), 0) by 3 loop
    v_wanted := v_wanted + p_segments[i];
  end loop;
  v_included := least(v_wanted, b.remaining);
  e.overage_records := 0;
  if b.overage_unit_cents is not null then
    e.overage_records := greatest(0, least(v_wanted - v_included, coalesce(b.overage_cap - b.overage_records, v_wanted)));
  end if;
  e.records := v_included + e.overage_records;
  e.credits := -v_included;
  -- what is granted is the head of what was wanted
  v_left := e.records;
  e.segments := case when v_left = v_wanted then p_segments else '{}' end;
  if v_left < v_wanted then
    for i in 3 .. array_length(p_segments, 1) by 3 loop
      exit when v_left = 0;
      e.segments := e.segments || array[p_segments[i - 2], p_segments[i - 1], least(p_segments[i], v_left)];
      v_left := v_left - least(p_segments[i], v_left);
    end loop;
  end if;
  e.kind := 'read';
  e.token_id := p_token_id;
  e.county_fips := p_county_fips;
  e.request_id := p_request_id;
  e.idempotency_key := p_idempotency_key;
  e.request_hash := p_request_hash;
  r := append_entry(b, e);
  b := r.b;
  e := r.e;
  -- until its first byte is on the way it can be taken back, by whoever finds it here
  if e.records > 0 then
    insert into undelivered_read (balance_id, request_id, entry_id) values (p_balance_id, p_request_id, e.id);
  end if;
  decision := 'granted';
  entry_id := e.id;
  records := e.records;
  segments := e.segments;
  remaining := b.remaining;
  overage_records := b.overage_records;
end $$;
