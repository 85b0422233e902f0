-- Every field of an entry that says something is under its hash. Null and '' differ; no field can run into the next.
create or replace function entry_hash(
  p_previous_hash bytea, p_id uuid, p_balance_id uuid, p_sequence integer, p_token_id uuid, p_kind text, p_at timestamptz,
  p_records integer, p_credits integer, p_overage_records integer, p_overage_cents bigint, p_balance_after integer,
  p_overage_after integer, p_period_start timestamptz, p_segments integer[], p_county_fips text, p_attempt integer, p_reverses uuid,
  p_repeats uuid, p_request_hash bytea, p_request_id text, p_idempotency_key text, p_reason text, p_actor text
) returns bytea language plpgsql immutable as $$
begin
  return sha256(p_previous_hash || convert_to(
    concat(p_id, '|', p_balance_id, '|', p_sequence, '|', p_token_id, '|', p_kind, '|', extract(epoch from p_at), '|',
           p_records, '|', p_credits, '|', p_overage_records, '|', p_overage_cents, '|', p_balance_after, '|', p_overage_after, '|',
           extract(epoch from p_period_start), '|', p_segments::text, '|', p_county_fips, '|', p_attempt, '|', p_reverses, '|',
           p_repeats, '|', encode(p_request_hash, 'hex'), '|', quote_nullable(p_request_id), '|', quote_nullable(p_idempotency_key), '|',
           quote_nullable(p_reason), '|', quote_nullable(p_actor)),
    'UTF8'));
end $$;
