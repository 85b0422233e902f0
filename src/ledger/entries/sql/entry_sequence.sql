-- The sequence of the entry with this id in its balance. A lookup must also compare the whole id.
create or replace function entry_sequence(id uuid) returns integer language sql immutable parallel safe
return ('x' || right(replace(id::text, '-', ''), 8))::bit(32)::integer;
