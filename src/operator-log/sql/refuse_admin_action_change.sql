-- The operator log is append-only.
create or replace function refuse_admin_action_change() returns trigger language plpgsql as $$
begin
  raise exception 'the operator log is append-only' using errcode = 'restrict_violation';
end $$;

create or replace trigger admin_action_append_only before update or delete or truncate on admin_action
  for each statement execute function refuse_admin_action_change();
