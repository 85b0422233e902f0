-- Creates a balance with its first period, grant and terms.
-- p_renew_until: a period that begins later waits for a payment; null: periods need no payment.
create or replace function open_balance(
  p_account_id text, p_plan text, p_grant_records integer, p_overage_unit_cents integer, p_period_anchor timestamptz,
  p_period_start timestamptz, p_period_end timestamptz, p_ends_at timestamptz, p_renew_until timestamptz, p_is_metered boolean
) returns uuid language plpgsql as $$
declare
  b credit_balance;
  e ledger_entry;
  r record;
begin
  insert into credit_balance
    (account_id, plan, grant_records, overage_unit_cents, period_anchor, period_start, period_end, ends_at, renew_until, is_metered)
  values (p_account_id, p_plan, p_grant_records, p_overage_unit_cents, p_period_anchor, p_period_start, p_period_end, p_ends_at,
          p_renew_until, p_is_metered)
  returning * into b;
  e.kind := 'grant';
  e.credits := p_grant_records;
  r := append_entry(b, e);
  perform record_terms(r.b);
  return b.id;
end $$;
