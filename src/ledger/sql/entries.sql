-- A version 7 UUID: 48 bits of milliseconds, 42 random bits, and the entry's sequence in its balance as the last 32 bits.
-- entry_time and entry_sequence read both back, so the ledger needs no index by id. The id need not be hard to guess, and `random()` takes
-- a tenth of the time of gen_random_uuid().
create or replace function entry_id(at timestamptz, sequence integer) returns uuid language sql volatile as $$
  select encode(
    int8send(floor(extract(epoch from at) * 1000)::bigint << 16 | (7 << 12) | floor(random() * (1 << 12))::bigint)
      || int4send(((2::bigint << 30) | floor(random() * (1 << 30))::bigint)::bit(32)::integer)
      || int4send(sequence),
    'hex')::uuid
$$;

-- The sequence of the entry with this id in its balance. A lookup must also compare the whole id.
create or replace function entry_sequence(id uuid) returns integer language sql immutable parallel safe as $$
  select ('x' || right(replace(id::text, '-', ''), 8))::bit(32)::integer
$$;

-- The millisecond in which the entry of this id was written.
create or replace function entry_time(id uuid) returns timestamptz language sql immutable parallel safe as $$
  select to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
$$;

-- The hash that an entry must have. It covers every field. Null and '' differ, and no field can run into the next.
create or replace function entry_hash(e ledger_entry) returns bytea language plpgsql immutable as $$
begin
  return sha256(e.previous_hash || convert_to(
    concat(e.id, '|', e.balance_id, '|', e.sequence, '|', e.token_id, '|', e.kind, '|', extract(epoch from e.at), '|', e.records, '|',
           e.credits, '|', e.overage_records, '|', e.overage_cents, '|', e.balance_after, '|', e.overage_after, '|',
           extract(epoch from e.period_start), '|', e.segments::text, '|', e.county_fips, '|', e.attempt, '|', e.reverses, '|',
           e.repeats, '|', encode(e.request_hash, 'hex'), '|', quote_nullable(e.request_id), '|', quote_nullable(e.idempotency_key), '|',
           quote_nullable(e.reason), '|', quote_nullable(e.actor)),
    'UTF8'));
end $$;

-- Fills in sequence, results and hash of a balance's next entry, and returns the balance after it. Writes nothing. The caller holds the
-- balance's row lock and passes the locked row, and an entry with its kind, movements and memo.
create or replace function next_entry(inout b credit_balance, inout e ledger_entry) language plpgsql as $$
begin
  -- In order whatever the clock does, and no earlier than its period: Stripe's clock may be a little ahead of ours.
  e.at := greatest(coalesce(e.at, service_now()), b.last_entry_at, b.period_start);
  e.balance_id := b.id;
  e.sequence := b.entry_count + 1;
  e.id := entry_id(e.at, e.sequence);
  e.period_start := coalesce(e.period_start, b.period_start);
  e.records := coalesce(e.records, 0);
  e.credits := coalesce(e.credits, 0);
  e.overage_records := coalesce(e.overage_records, 0);
  e.overage_cents := e.overage_records::bigint * coalesce(b.overage_unit_cents, 0);
  e.segments := coalesce(e.segments, '{}');
  e.attempt := coalesce(e.attempt, 0);
  b.remaining := b.remaining + e.credits;
  -- a late reversal corrects the overage of its own period, not of the current one
  if e.period_start = b.period_start then
    b.overage_records := b.overage_records + e.overage_records;
  end if;
  e.balance_after := b.remaining;
  e.overage_after := b.overage_records;
  e.previous_hash := b.chain_head;
  e.hash := entry_hash(e);
  b.entry_count := e.sequence;
  b.last_entry_at := e.at;
  b.chain_head := e.hash;
end $$;

-- Writes one entry of any kind but a read (see spend), and its balance. The caller as for next_entry.
create or replace function append_entry(inout b credit_balance, inout e ledger_entry) language plpgsql as $$
declare r record;
begin
  r := next_entry(b, e);
  b := r.b;
  e := r.e;
  insert into ledger_entry select (e).*;
  update credit_balance
     set remaining = b.remaining, overage_records = b.overage_records, token_records = b.token_records, entry_count = b.entry_count,
         last_entry_at = b.last_entry_at, chain_head = b.chain_head
   where id = b.id;
  -- Billing looks at it again: what was taken back may be on a bill already.
  if e.overage_records <> 0 and b.is_metered then insert into overage_change (balance_id) values (b.id) on conflict do nothing; end if;
end $$;

-- tg_argv[0]: what only grows.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the % is append-only', tg_argv[0] using errcode = 'restrict_violation';
end $$;

-- Corrections are new entries. Nobody changes old ones, not even the table's owner.
create or replace trigger ledger_entry_append_only before update or delete or truncate on ledger_entry
  for each statement execute function refuse_change('ledger');

revoke update, delete, truncate on ledger_entry from current_user, public;

-- The number of a balance's entries before a moment. Times and sequence have the same order, since both are set under the balance's lock.
-- So a binary search finds the place (27 steps among a hundred million), and the ledger needs no index by balance and time.
create or replace function entries_before(p_balance_id uuid, p_at timestamptz) returns integer language plpgsql stable as $$
declare
  v_low integer := 0;
  v_high integer := (select entry_count from credit_balance where id = p_balance_id);
  v_middle integer;
begin
  while v_low < v_high loop
    v_middle := v_high - (v_high - v_low) / 2;
    if (select at from ledger_entry where balance_id = p_balance_id and sequence = v_middle) < p_at then
      v_low := v_middle;
    else
      v_high := v_middle - 1;
    end if;
  end loop;
  return v_low;
end $$;
