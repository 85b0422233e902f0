-- Microseconds since 1970. Text of a time would depend on the session's settings.
create or replace function unix_microseconds(p_at timestamptz) returns bigint language sql stable as $$
  select (extract(epoch from p_at) * 1000000)::bigint
$$;

-- What decides a balance's bill and is no movement. The trigger credit_balance_terms watches these columns.
create or replace function terms_of(b credit_balance) returns jsonb language sql stable as $$
  select jsonb_build_object(
    'owner', b.account_id, 'plan', b.plan, 'grant_records', b.grant_records, 'overage_unit_cents', b.overage_unit_cents,
    'overage_cap', b.overage_cap, 'is_metered', b.is_metered, 'is_closed', b.is_closed,
    'period_anchor', unix_microseconds(b.period_anchor), 'period_end', unix_microseconds(b.period_end),
    'ends_at', unix_microseconds(b.ends_at), 'renew_until', unix_microseconds(b.renew_until))
    || case when b.token_caps is null then '{}' else jsonb_build_object('token_caps', b.token_caps) end
$$;

-- Writes a balance's terms into its ledger, unless its last such entry says the same. The caller holds the balance's lock and passes the
-- locked row.
create or replace function record_terms(inout b credit_balance) language plpgsql as $$
declare
  e ledger_entry;
  r record;
begin
  e.kind := 'terms';
  e.reason := terms_of(b)::text;
  -- the condition of the index ledger_entry_terms
  if e.reason = (
    select l.reason from ledger_entry l where l.balance_id = b.id and l.kind = 'terms' order by l.sequence desc limit 1
  ) then return; end if;
  r := append_entry(b, e);
  b := r.b;
end $$;

-- Runs at the end of a transaction that changed a balance's terms, whichever statement did it. So no function holds a row of the balance
-- from before it, and several changes of one transaction are one entry.
create or replace function balance_terms_changed() returns trigger language plpgsql as $$
declare b credit_balance;
begin
  select * into strict b from credit_balance where id = new.id for update;
  perform record_terms(b);
  return null;
end $$;

-- What the ledger says of a token: who got it with which secret, and when it was revoked.
-- Not with a row of api_token as its argument: Postgres 17 fails to plan a call with one.
create or replace function token_events(p_account_id text, p_token_hash bytea, p_issued_at timestamptz, p_revoked_at timestamptz)
returns setof jsonb language sql stable as $$
  select jsonb_build_object('event', 'issued', 'owner', p_account_id, 'secret_sha256', encode(p_token_hash, 'hex'),
                            'at', unix_microseconds(p_issued_at))
  union all
  select jsonb_build_object('event', 'revoked', 'at', unix_microseconds(p_revoked_at)) where p_revoked_at is not null
$$;

-- Writes those events of a token into its balance's ledger that it does not have yet. Runs at the end of a transaction that issued or
-- revoked a token. So a balance's lock is the last that such a transaction takes: it waits for nobody who waits for it.
-- tg_argv[0]: the column with the token's id.
create or replace function token_changed() returns trigger language plpgsql as $$
declare
  b credit_balance;
  e ledger_entry;
  r record;
begin
  -- One transaction may revoke all tokens of an account: locks in the order of the balances' ids, like all that lock several.
  if tg_op = 'UPDATE' then perform from credit_balance where account_id = new.account_id order by id for update; end if;
  select * into strict b from credit_balance where id = new.balance_id for update;
  e.kind := 'token';
  e.token_id := to_jsonb(new) ->> tg_argv[0];
  for e.reason in
    select n.event
      from api_token t
      join token_lookup k on k.balance_id = t.balance_id and k.token_id = t.id
     cross join lateral token_events(t.account_id, k.token_hash, t.issued_at, t.revoked_at) n (event)
     where t.balance_id = b.id and t.id = e.token_id
       and n.event ->> 'event' <> all(array(
         select l.reason::jsonb ->> 'event' from ledger_entry l where l.balance_id = b.id and l.kind = 'token' and l.token_id = t.id
       ))
  loop
    r := append_entry(b, e);
    b := r.b;
  end loop;
  return null;
end $$;
