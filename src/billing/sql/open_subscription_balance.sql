-- The balance of a subscription whose first invoice is paid, with the grant of its current period.
create or replace function open_subscription_balance(
  p_account_id text, p_grant_records integer, p_overage_unit_cents integer,
  p_anchor timestamptz, p_start timestamptz, p_end timestamptz, p_ends_at timestamptz
) returns uuid language sql volatile as $$
  select open_balance(p_account_id, 'paid', p_grant_records, p_overage_unit_cents, p_anchor, p_start, p_end, p_ends_at, p_end, true)
$$;
