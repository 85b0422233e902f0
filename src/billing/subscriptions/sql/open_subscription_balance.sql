-- Opens the balance of a subscription whose first invoice is paid, with the grant of its current period. The overage cap is the one chosen
-- at checkout. If none was chosen since the account's last subscription was opened, it is that one's cap, even if it had none; of several
-- created in one second the lowest.
create or replace function open_subscription_balance(
  p_account_id text, p_grant_records integer, p_overage_unit_cents integer,
  p_anchor timestamptz, p_start timestamptz, p_end timestamptz, p_ends_at timestamptz
) returns uuid language plpgsql as $$
declare
  v_id uuid := open_balance(p_account_id, 'paid', p_grant_records, p_overage_unit_cents, p_anchor, p_start, p_end, p_ends_at, p_end, true);
begin
  update credit_balance
     set overage_cap = (
       select case when c.cap_chosen_at > coalesce(l.opened_at, '-infinity') then c.chosen_cap else l.overage_cap end
         from (select p_account_id as account_id) a
         left join billing_customer c using (account_id)
         left join lateral (
           select b.overage_cap, e.at as opened_at
             from subscription s join credit_balance b on b.id = s.balance_id join ledger_entry e on e.balance_id = b.id and e.sequence = 1
            where s.account_id = p_account_id order by s.created_at desc, b.overage_cap limit 1
         ) l on true
     )
   where id = v_id;
  return v_id;
end $$;
