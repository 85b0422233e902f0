-- A new password or address ends every link mailed before: an attacker whom the change locks out may have requested one.
create or replace function auth.end_mailed_links() returns trigger language plpgsql as $$
declare v_user_id text := to_jsonb(new) ->> tg_argv[0];
begin
  delete from auth.verification where value = v_user_id;
  delete from auth.mailed_link where user_id = v_user_id;
  return null;
end $$;

create or replace trigger new_password_ends_mailed_links after update of password on auth.account
  for each row when (old.password is distinct from new.password) execute function auth.end_mailed_links('userId');
create or replace trigger new_address_ends_mailed_links after update of email on auth."user"
  for each row when (old.email <> new.email) execute function auth.end_mailed_links('id');
