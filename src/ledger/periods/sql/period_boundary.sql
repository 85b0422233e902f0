-- Months are counted from the anchor, as the payment processor does: 31 January, 28 February, 31 March.
create or replace function period_boundary(anchor timestamptz, months integer) returns timestamptz language sql immutable
return ((anchor at time zone 'UTC') + make_interval(months => months)) at time zone 'UTC';
