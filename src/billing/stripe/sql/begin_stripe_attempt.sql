-- The idempotency key for creating an account's customer or checkout. All servers get the same key until the call has certainly succeeded or
-- failed, or for 23 hours (Stripe forgets keys after 24). Null if another call has succeeded or failed since the caller looked: it must
-- look again.
create or replace function begin_stripe_attempt(
  p_account_id text, p_seen_customer_id text, p_seen_session_id text, p_seen_attempts integer
) returns uuid language plpgsql as $$
declare c billing_customer;
begin
  select * into strict c from billing_customer where account_id = p_account_id for update;
  if c.stripe_customer_id is distinct from p_seen_customer_id or c.checkout_session_id is distinct from p_seen_session_id then
    return null;
  end if;
  if c.attempted_at > service_now() - interval '23 hours' and c.attempt_key is not null then return c.attempt_key; end if;
  if c.attempts <> p_seen_attempts then return null; end if;
  update billing_customer
     set attempt_key = gen_random_uuid(), attempted_at = service_now(), attempts = attempts + 1
   where account_id = p_account_id
  returning attempt_key into c.attempt_key;
  return c.attempt_key;
end $$;
