-- The end of the period on whose bill an event is that Stripe has; infinity: on none, as it was taken back after the last one. What was
-- reported too late for Stripe's last bill is on the one that we make (last-bill.ts), which waits for all that was read.
-- ended_at: when the subscription ended; null while it has not.
create or replace function billed_at(anchor timestamptz, ended_at timestamptz, m meter_event) returns timestamptz language plpgsql immutable as $$
declare
  period_end constant timestamptz := coalesce(m.bill_ends_at, period_end_at(anchor, m.counted_at));
  last_bill_at timestamptz;
begin
  if ended_at is null or period_end < ended_at then return period_end; end if;
  if m.records > 0 then return ended_at; end if;
  last_bill_at := last_bill_at(anchor, ended_at);
  if (case when last_bill_at > ended_at then m.opened_at else m.counted_at end) < last_bill_at then return ended_at; end if;
  return 'infinity';
end $$;
