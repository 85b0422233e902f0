-- What the ledger says of a token: who got it with which secret, and when it was revoked.
-- Not with a row of api_token as its argument: Postgres 17 fails to plan a call with one.
create or replace function token_events(p_account_id text, p_token_hash bytea, p_issued_at timestamptz, p_revoked_at timestamptz)
returns setof jsonb language sql stable as $$
  select jsonb_build_object('event', 'issued', 'owner', p_account_id, 'secret_sha256', encode(p_token_hash, 'hex'),
                            'at', unix_microseconds(p_issued_at))
  union all
  select jsonb_build_object('event', 'revoked', 'at', unix_microseconds(p_revoked_at)) where p_revoked_at is not null
$$;
