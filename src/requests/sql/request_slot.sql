-- The partition of the calls of a day.
create or replace function request_slot(p_at timestamptz) returns smallint language sql immutable parallel safe
return (floor(extract(epoch from p_at) / 86400)::integer % 32)::smallint;
