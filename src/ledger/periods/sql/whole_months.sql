-- How many periods have ended since the anchor.
create or replace function whole_months(anchor timestamptz, moment timestamptz) returns integer language plpgsql immutable as $$
declare v_months integer := greatest(0, (extract(year from age(moment, anchor)) * 12 + extract(month from age(moment, anchor)))::integer - 1);
begin
  while period_boundary(anchor, v_months + 1) <= moment loop
    v_months := v_months + 1;
  end loop;
  return v_months;
end $$;
