-- What a further record of a balance costs, or did before its price was taken away.
create or replace function overage_price(b credit_balance) returns integer language plpgsql stable as $$
begin
  return coalesce(b.overage_unit_cents, (
    select max(l.overage_cents / l.overage_records) from ledger_entry l where l.balance_id = b.id and l.overage_records > 0
  ));
end $$;
