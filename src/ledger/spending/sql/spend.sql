-- For servers of the previous release: see spend_for_receipt.
create or replace function spend(
  p_balance_ids uuid[], p_token_ids uuid[], p_coverage_versions bigint[], p_segments text[], p_county_fips text[], p_request_ids text[],
  p_idempotency_keys text[], p_request_hashes bytea[], p_waits boolean
) returns table (
  n integer, decision text, plan text, entry_id uuid, records integer, segments integer[],
  remaining integer, overage_records integer, overage_unit_cents integer
) language sql as $$
  select n, decision, plan, entry_id, records, segments, remaining, overage_records, overage_unit_cents
    from spend_for_receipt(p_balance_ids, p_token_ids, p_coverage_versions, p_segments, p_county_fips, p_request_ids, p_idempotency_keys,
                           p_request_hashes, p_waits)
$$;
