-- When a subscription ended; null while it may still charge (see subscription-status.ts).
create or replace function ended_at(s subscription) returns timestamptz language plpgsql immutable as $$
begin
  return case when s.status in ('canceled', 'incomplete_expired') then s.ends_at end;
end $$;
