-- The end of the period, counted from the anchor, in which a moment lies.
create or replace function period_end_at(anchor timestamptz, moment timestamptz) returns timestamptz language sql immutable
return case
  -- the boundary of the moment's calendar month may still be to come
  when period_end_after(anchor, moment - interval '1 month') > moment then period_end_after(anchor, moment - interval '1 month')
  else period_end_after(anchor, moment)
end;
