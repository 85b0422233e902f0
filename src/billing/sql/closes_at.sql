-- Until when an event still comes onto the bill of its time: Stripe makes that final an hour after the period's end, and we leave it some
-- minutes. Where the billing cycle was moved, which begins a period at the anchor itself, it makes the bill of the one before at once.
create or replace function closes_at(anchor timestamptz, ends_at timestamptz, m meter_event) returns timestamptz language plpgsql immutable as $$
declare period_end constant timestamptz := coalesce(m.bill_ends_at, period_end_at(anchor, m.counted_at));
begin
  return least(period_end, ends_at) + case when period_end > anchor then interval '50 minutes' else interval '0 minutes' end;
end $$;
