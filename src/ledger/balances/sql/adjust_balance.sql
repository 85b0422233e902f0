-- As servers of the release before adjust_balance_once call it: a correction without a key.
create or replace function adjust_balance(
  p_balance_id uuid, p_credits integer, p_reason text, p_actor text,
  out remaining_before integer, out remaining_max integer, out entry_id uuid
) language plpgsql as $$
begin
  select a.remaining_before, a.remaining_max, a.entry_id into remaining_before, remaining_max, entry_id
    from adjust_balance_once(p_balance_id, p_credits, p_reason, p_actor, null) a;
end $$;
