-- Until when a balance opens periods, for token_rejection; nothing any more, where its own is over and the one that now lies in may not be
-- opened (see open_due_period), though those between were never looked at.
create or replace function renewable_until(
  p_period_anchor timestamptz, p_period_end timestamptz, p_renew_until timestamptz
) returns timestamptz language plpgsql stable as $$
declare v_now constant timestamptz := service_now();
begin
  if p_period_end <= v_now and p_renew_until < period_boundary(p_period_anchor, whole_months(p_period_anchor, v_now)) then
    return '-infinity';
  end if;
  return p_renew_until;
end $$;
