-- Runs at the end of a transaction that changed a balance's terms, whichever statement did it: an older server's too. So no function holds
-- a row of the balance from before it, and several changes of one transaction are one entry.
create or replace function balance_terms_changed() returns trigger language plpgsql as $$
declare b credit_balance;
begin
  select * into strict b from credit_balance where id = new.id for update;
  perform record_terms(b);
  return null;
end $$;
