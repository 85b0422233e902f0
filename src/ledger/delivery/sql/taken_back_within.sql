-- How long after a read its server may still reverse it (reverse_spent): longer than it retries (delivery.ts).
-- For twice as long, showing the records counts as a delivery (show_read), so that even a clock that is set back makes no gift of them.
create or replace function taken_back_within() returns interval language sql immutable parallel safe return interval '3 minutes';
