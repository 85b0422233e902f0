-- The key of the IPv6 /48 around the /64 at the end of a key; null if the key does not end with a /64. A provider gives a customer a /64 or
-- a /48. Without this a customer with a /48 would count as 65,536 customers.
create or replace function auth.network_key(p_key text) returns text language sql immutable as $$
  select k.prefix || set_masklen(k.address::cidr, 48)
    from (select substring(p_key from '^(.* )[0-9a-f:]+$') as prefix,
                 substring(p_key from ' ((?:[0-9a-f]{1,4}:){1,4}:)$') as address) k
   where k.address is not null
$$;

-- Seconds until one more event is within the limit: the p_max-th newest event must leave the window first. 0: now. An event of an IPv6 /64
-- also counts for the /48 around it, which has eight times the limit; src/core/client-address.ts counts requests in the same way.
create or replace function auth.retry_after(p_key text, p_max integer, p_within_seconds integer) returns double precision
  language sql stable as $$
  select coalesce((
    select max(greatest(0, extract(epoch from e.at + make_interval(secs => p_within_seconds) - service_now())))
      from (values (p_key, p_max), (auth.network_key(p_key), 8 * p_max)) as k (key, max)
      cross join lateral (
        select at from auth.rate_limit_event where key = k.key order by at desc offset k.max - 1 limit 1
      ) e
  ), 0)
$$;

-- Counts an attempt under each key and returns the events if it is within all limits. Otherwise returns the seconds to wait.
-- Exact under concurrency: attempts that share a key wait for each other.
create or replace function auth.try_begin(
  p_keys text[], p_limited_keys text[], p_max integer[], p_within_seconds integer[], out wait double precision, out events bigint[]
) language plpgsql as $$
declare
  v_keys text[] := array(
    select c.key
      from unnest(p_keys) with ordinality as k (key, position)
      cross join lateral (values (0, k.key), (1, auth.network_key(k.key))) as c (size, key)
     where c.key is not null
     order by k.position, c.size
  );
begin
  perform pg_advisory_xact_lock(hashtextextended('rate limit ' || k.key, 0)) from unnest(v_keys) as k (key);
  select coalesce(max(auth.retry_after(l.key, l.max, l.within_seconds)), 0) into wait
    from unnest(p_limited_keys, p_max, p_within_seconds) as l (key, max, within_seconds);
  if wait = 0 then
    with counted as (insert into auth.rate_limit_event (key) select unnest(v_keys) returning id)
    select array_agg(id) into events from counted;
  end if;
end $$;

-- Notes who took a trial and where, and returns the seconds until it would be within the limits, 0 if it is. Those that share a network wait for
-- each other until the end of the transaction, which is rolled back if there is anything to wait for.
-- person_wait: until the trials of its person gave p_of_person records in 30 days at most, its own credits included. network_wait: until those
-- that were taken at its address within a day give p_of_network (null: no limit): what a revoked one gave, and all credits of one that may still
-- be read. The IPv6 /48 around it has eight times as many.
create or replace function auth.count_trial(
  p_token_id uuid, p_people bytea[], p_address text, p_of_person integer, p_of_network integer,
  out person_wait double precision, out network_wait double precision
) language plpgsql as $$
declare
  v_network text := coalesce(auth.network_key('trial at ' || p_address), 'trial at ' || p_address);
  v_factor integer := case when v_network like '%/48' then 8 else 1 end;
  own credit_balance;
begin
  perform pg_advisory_xact_lock(hashtextextended(v_network, 0));
  select b.* into strict own from api_token t join credit_balance b on b.id = t.balance_id where t.id = p_token_id;
  insert into auth.trial_taken values (own.id, p_people[1], p_address, v_network);
  select coalesce(extract(epoch from max(g.at) + interval '30 days' - service_now()), 0) into person_wait
    from (select l.at, sum(l.records) over (order by l.at desc, l.id desc) as given
            from (select balance_id from auth.trial_taken where person = any(p_people)
                  union select id from credit_balance where account_id = own.account_id and plan = 'trial') t
            join ledger_entry l on l.balance_id = t.balance_id and l.kind in ('read', 'reversal') and l.at > service_now() - interval '30 days') g
   where g.given > p_of_person - own.grant_records;
  select coalesce(extract(epoch from max(g.taken_at) + interval '1 day' - service_now()), 0) into network_wait
    from (select t.taken_at, t.address, sum(w.records) over newest as of_network,
                 sum(w.records) filter (where t.address = p_address) over newest as of_address
            from auth.trial_taken t
            join credit_balance b on b.id = t.balance_id
           cross join lateral (
             select case when b.is_closed or not exists (select from api_token k where k.balance_id = b.id and k.revoked_at is null)
                         then (select coalesce(sum(l.records), 0) from ledger_entry l where l.balance_id = b.id and l.kind in ('read', 'reversal'))
                         else b.grant_records end as records) w
           where t.network = v_network and t.taken_at > service_now() - interval '1 day'
          window newest as (order by t.taken_at desc, t.balance_id)) g
   where g.address = p_address and g.of_address > p_of_network or g.of_network > v_factor * p_of_network;
end $$;
