-- For servers of the release before: see reverse_spent.
create or replace function reverse_request(p_balance_id uuid, p_request_id text, p_reason text) returns uuid language sql as $$
  select reverse_spent(p_balance_id, p_request_id, null, interval '1 minute', p_reason)
$$;
