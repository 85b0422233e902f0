-- How many entries of a balance are from before a moment. Their times follow their order, since both are given under the balance's lock:
-- so a moment's place is found by halving, in 27 looks among a hundred million, and the ledger needs no index by balance and time.
create or replace function entries_before(p_balance_id uuid, p_at timestamptz) returns integer language plpgsql stable as $$
declare
  v_low integer := 0;
  v_high integer := (select entry_count from credit_balance where id = p_balance_id);
  v_middle integer;
begin
  while v_low < v_high loop
    v_middle := v_high - (v_high - v_low) / 2;
    if (select at from ledger_entry where balance_id = p_balance_id and sequence = v_middle) < p_at then
      v_low := v_middle;
    else
      v_high := v_middle - 1;
    end if;
  end loop;
  return v_low;
end $$;
