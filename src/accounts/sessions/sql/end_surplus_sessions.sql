-- An account has a hundred sessions at the most: beyond them, those that were not used for longest end.
create or replace function auth.end_surplus_sessions() returns trigger language plpgsql as $$
begin
  delete from auth.session
   where id in (select id from auth.session where "userId" = new."userId" order by "updatedAt" desc, id offset 100);
  return null;
end $$;

create or replace trigger session_surplus after insert on auth.session
  for each row execute function auth.end_surplus_sessions();
