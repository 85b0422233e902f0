-- The log only grows. Nobody changes what was signed, not even the tables' owner.
create or replace function refuse_log_change() returns trigger language plpgsql as $$
begin
  raise exception 'the log is append-only' using errcode = 'restrict_violation';
end $$;

create or replace trigger log_origin_append_only before update or delete or truncate on log_origin
  for each statement execute function refuse_log_change();
create or replace trigger log_leaves_append_only before update or delete or truncate on log_leaves
  for each statement execute function refuse_log_change();
create or replace trigger log_node_append_only before update or delete or truncate on log_node
  for each statement execute function refuse_log_change();
create or replace trigger log_checkpoint_append_only before update or delete or truncate on log_checkpoint
  for each statement execute function refuse_log_change();
create or replace trigger log_cosignature_append_only before update or delete or truncate on log_cosignature
  for each statement execute function refuse_log_change();
create or replace trigger release_root_append_only before update or delete or truncate on release_root
  for each statement execute function refuse_log_change();

revoke update, delete, truncate on log_origin, log_leaves, log_node, log_checkpoint, log_cosignature, release_root from current_user, public;
