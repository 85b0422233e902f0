-- How long after a read its server may still take it back on its own word (reverse_spent): longer than it goes on trying (delivery.ts).
-- Twice as long whoever is shown its records has them (show_read), so that not even a clock that is set back makes them a gift.
create or replace function taken_back_within() returns interval language sql immutable parallel safe return interval '3 minutes';
