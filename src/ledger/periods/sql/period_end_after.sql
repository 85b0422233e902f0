-- The end of the period that began at `start`: boundaries lie one in each calendar month, counted from the anchor.
create or replace function period_end_after(anchor timestamptz, start timestamptz) returns timestamptz language sql immutable
return period_boundary(anchor, (
  12 * (extract(year from start at time zone 'UTC') - extract(year from anchor at time zone 'UTC'))
     + extract(month from start at time zone 'UTC') - extract(month from anchor at time zone 'UTC') + 1
)::integer);
