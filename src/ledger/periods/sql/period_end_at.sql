-- The end of the period, counted from the anchor, in which a moment lies.
create or replace function period_end_at(anchor timestamptz, moment timestamptz) returns timestamptz language sql immutable
return case
  -- The boundary of the moment's calendar month may still be to come. In UTC, since Postgres puts no function into a query that depends on
  -- who asks.
  when period_end_after(anchor, (moment at time zone 'UTC' - interval '1 month') at time zone 'UTC') > moment
    then period_end_after(anchor, (moment at time zone 'UTC' - interval '1 month') at time zone 'UTC')
  else period_end_after(anchor, moment)
end;
