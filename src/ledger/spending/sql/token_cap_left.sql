-- How many records a token may still be charged in the present period under its own cap; null: it has none. Both maps are by token id.
create or replace function token_cap_left(p_caps jsonb, p_records jsonb, p_token_id uuid) returns integer language sql immutable as $$
  select greatest(0, (p_caps ->> p_token_id::text)::integer - coalesce((p_records ->> p_token_id::text)::integer, 0))
   where p_caps ->> p_token_id::text is not null
$$;
