-- Until when what is counted lands on a subscription's last bill. Stripe makes it at the end of a period; that of a subscription which was
-- ended within its period we make ourselves (last-bill.ts), two hours later. One that ended in the second of its beginning ended within it.
create or replace function last_bill_at(anchor timestamptz, ended_at timestamptz) returns timestamptz language plpgsql immutable as $$
begin
  if period_end_at(anchor, greatest(anchor, ended_at - interval '1 second')) > ended_at then return ended_at + interval '2 hours'; end if;
  return ended_at;
end $$;
