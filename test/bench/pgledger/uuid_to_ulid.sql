create function uuid_to_ulid(id uuid) returns text language sql immutable as $$
  select string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + substring(bits from 5 * k + 1 for 5)::integer, 1), '' order by k)
    from (select b'00' || ('x' || translate(id::text, '-', ''))::bit(128) as bits) b, generate_series(0, 25) k
$$;
