-- Where the entry of this id stands in its balance. Whoever looks it up there compares the whole id.
create or replace function entry_sequence(id uuid) returns integer language sql immutable parallel safe
return ('x' || right(replace(id::text, '-', ''), 8))::bit(32)::integer;
