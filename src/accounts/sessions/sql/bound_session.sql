-- Use prolongs a session, but not for ever: 30 days after sign-in it ends.
create or replace function auth.bound_session() returns trigger language plpgsql as $$
begin
  new."expiresAt" := least(new."expiresAt", new."createdAt" + interval '30 days');
  return new;
end $$;

create or replace trigger session_bound before insert or update on auth.session
  for each row execute function auth.bound_session();
