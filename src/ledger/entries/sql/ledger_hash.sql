-- The hash that an entry has to have.
create or replace function ledger_hash(e ledger_entry) returns bytea language plpgsql immutable as $$
begin
  return entry_hash(
    e.previous_hash, e.id, e.balance_id, e.sequence, e.token_id, e.kind, e.at, e.records, e.credits, e.overage_records, e.overage_cents,
    e.balance_after, e.overage_after, e.period_start, e.segments, e.county_fips, e.attempt, e.reverses, e.repeats, e.request_hash,
    e.request_id, e.idempotency_key, e.reason, e.actor);
end $$;
