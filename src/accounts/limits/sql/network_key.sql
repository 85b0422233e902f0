-- The key of the IPv6 /48 around the /64 at the end of a key; null if the key does not end with a /64. A provider gives a customer a /64 or
-- a /48. Without this a customer with a /48 would count as 65,536 customers.
create or replace function auth.network_key(p_key text) returns text language sql immutable as $$
  select k.prefix || set_masklen(k.address::cidr, 48)
    from (select substring(p_key from '^(.* )[0-9a-f:]+$') as prefix,
                 substring(p_key from ' ((?:[0-9a-f]{1,4}:){1,4}:)$') as address) k
   where k.address is not null
$$;
