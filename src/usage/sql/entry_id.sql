-- A version 7 UUID: 48 bits of milliseconds, 42 random bits, and the entry's sequence in its balance as the last 32 bits.
-- Time and place can be read back from it (entry_time, entry_sequence), so that the ledger needs no index by id.
create or replace function entry_id(at timestamptz, sequence integer) returns uuid language sql volatile as $$
  select encode(
    set_bit(set_bit(
      substring(int8send(floor(extract(epoch from at) * 1000)::bigint) from 3)
        || substring(uuid_send(gen_random_uuid()) from 7 for 6) || int4send(sequence),
      52, 1), 53, 1),
    'hex')::uuid
$$;
