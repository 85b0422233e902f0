-- Whether something may still come onto the bills of a subscription of which nobody can say yet whether they have it: an event that is under
-- way to Stripe or needs a decision, its own or one of another subscription that is billed here; what was read of one that has ended
-- and has no event yet (of one that goes on that is on none of the bills which are closed); and what was counted after its end, while the
-- one that the customer had by then waits for its first payment: if that one lasts until its period is over, it is on a bill of that one, and
-- else on none.
create or replace function is_undecided(s subscription) returns boolean language plpgsql stable as $$
begin
  return exists (
    select from subscription own join meter_event m on m.balance_id = own.balance_id
     where own.stripe_customer_id = s.stripe_customer_id and m.state in ('waiting', 'failed')
       and (own.id = s.id or subscription_billed(own, m) = s.id)
  ) or ended_at(s) is not null and exists (
    select from overage_report r where r.balance_id = s.balance_id and r.meter_event is null
  ) or exists (
    select from meter_event m join subscription next on next.stripe_customer_id = s.stripe_customer_id and next.created_at <= m.counted_at
     where m.balance_id = s.balance_id and m.state = 'sent' and m.counted_at >= ended_at(s)
       and next.id <> s.id and next.balance_id is null and ended_at(next) is null
       and period_end_at(next.created_at, m.counted_at) > service_now()
  );
end $$;
