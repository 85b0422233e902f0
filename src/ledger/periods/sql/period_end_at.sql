-- The end of the period that contains a moment, counted from the anchor.
create or replace function period_end_at(anchor timestamptz, moment timestamptz) returns timestamptz language sql immutable
return case
  -- The boundary in the moment's calendar month may be later than the moment. In UTC: Postgres does not inline a function that depends on
  -- the session's time zone.
  when period_end_after(anchor, (moment at time zone 'UTC' - interval '1 month') at time zone 'UTC') > moment
    then period_end_after(anchor, (moment at time zone 'UTC' - interval '1 month') at time zone 'UTC')
  else period_end_after(anchor, moment)
end;
