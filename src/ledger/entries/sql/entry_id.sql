-- A version 7 UUID: 48 bits of milliseconds, 42 random bits, and the entry's sequence in its balance as the last 32 bits.
-- Time and place can be read back from it (entry_time, entry_sequence), so that the ledger needs no index by id. It need not be
-- hard to guess, and `random()` takes a tenth of the time of gen_random_uuid().
create or replace function entry_id(at timestamptz, sequence integer) returns uuid language sql volatile as $$
  select encode(
    int8send(floor(extract(epoch from at) * 1000)::bigint << 16 | (7 << 12) | floor(random() * (1 << 12))::bigint)
      || int4send(((2::bigint << 30) | floor(random() * (1 << 30))::bigint)::bit(32)::integer)
      || int4send(sequence),
    'hex')::uuid
$$;
