-- Undoes what an operator does whose role is taken meanwhile: it was asked for when the request came. Here, since every change by an
-- operator is written down in the transaction that makes it; whoever takes the role and who acts wait for each other at the account's row.
create or replace function auth.refuse_former_operator() returns trigger language plpgsql as $$
begin
  perform from auth."user" where id = new.actor and role = 'admin' and not banned for share;
  if not found and new.actor <> 'command line' then raise exception 'no operator' using errcode = 'restrict_violation'; end if;
  return new;
end $$;

create or replace trigger admin_action_of_operator before insert on admin_action
  for each row execute function auth.refuse_former_operator();
