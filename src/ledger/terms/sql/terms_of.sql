-- What decides a balance's bill and is no movement. The triggers credit_balance_terms and credit_balance_token_caps watch these columns.
-- Without caps of tokens the terms do not name them, so that balances from before them have no other terms now.
create or replace function terms_of(b credit_balance) returns jsonb language sql stable as $$
  select jsonb_build_object(
    'owner', b.account_id, 'plan', b.plan, 'grant_records', b.grant_records, 'overage_unit_cents', b.overage_unit_cents,
    'overage_cap', b.overage_cap, 'is_metered', b.is_metered, 'is_closed', b.is_closed,
    'period_anchor', unix_microseconds(b.period_anchor), 'period_end', unix_microseconds(b.period_end),
    'ends_at', unix_microseconds(b.ends_at), 'renew_until', unix_microseconds(b.renew_until))
    || case when b.token_caps is null then '{}' else jsonb_build_object('token_caps', b.token_caps) end
$$;
