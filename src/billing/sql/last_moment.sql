-- When that counts which is reported too late of a subscription that has ended: in a moment that is on no bill of Stripe's any more. Now
-- would be on the bills of the customer's next subscription, for the customer and the meter are the same. It is billed by us
-- (last-bill.ts), or credited (open_credits_of). Null while it has not ended.
create or replace function last_moment(anchor timestamptz, ended_at timestamptz) returns timestamptz language plpgsql immutable as $$
begin
  -- Of one that was ended within its period Stripe makes no bill; that of one which ended with its period has not its very end.
  if last_bill_at(anchor, ended_at) > ended_at then return ended_at - interval '1 second'; end if;
  return ended_at;
end $$;
