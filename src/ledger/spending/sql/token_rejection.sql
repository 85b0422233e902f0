-- Why a token may not read, in the specification's words and their order; null: it may. A period that is over counts as the next
-- one where that may still be opened (see renewable_until), so the answer does not depend on who looks first.
create or replace function token_rejection(
  p_revoked_at timestamptz, p_ends_at timestamptz, p_period_end timestamptz, p_renew_until timestamptz,
  p_remaining integer, p_overage_unit_cents integer, p_overage_records integer, p_overage_cap integer
) returns text language plpgsql stable as $$
declare v_now constant timestamptz := service_now();
begin
  return case
    when p_revoked_at is not null then 'revoked'
    when p_ends_at <= v_now then 'expired'
    when p_period_end <= v_now then case when p_renew_until < p_period_end then 'expired' end
    when p_remaining = 0 and (p_overage_unit_cents is null or p_overage_records >= p_overage_cap) then 'exhausted'
  end;
end $$;
