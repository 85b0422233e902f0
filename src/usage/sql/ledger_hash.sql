-- Every field that says something is under the hash. Null and '' differ; no field can run into the next.
create or replace function ledger_hash(e ledger_entry) returns bytea language plpgsql immutable as $$
begin
  return sha256(e.previous_hash || convert_to(
    concat(e.id, '|', e.balance_id, '|', e.sequence, '|', e.token_id, '|', e.kind, '|', extract(epoch from e.at), '|',
           e.records, '|', e.credits, '|', e.overage_records, '|', e.overage_cents, '|', e.balance_after, '|', e.overage_after, '|',
           extract(epoch from e.period_start), '|', e.segments::text, '|', e.county_fips, '|', e.attempt, '|', e.reverses, '|',
           e.repeats, '|', encode(e.request_hash, 'hex'), '|', quote_nullable(e.request_id), '|', quote_nullable(e.idempotency_key), '|',
           quote_nullable(e.reason), '|', quote_nullable(e.actor)),
    'UTF8'));
end $$;
