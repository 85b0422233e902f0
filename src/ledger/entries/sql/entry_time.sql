-- The millisecond in which the entry of this id was written.
create or replace function entry_time(id uuid) returns timestamptz language sql immutable parallel safe
return to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0);
