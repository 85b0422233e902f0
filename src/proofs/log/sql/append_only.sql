-- The log only grows. Nobody changes what was signed, not even the tables' owner.
create or replace trigger log_origin_append_only before update or delete or truncate on log_origin
  for each statement execute function refuse_change('log');
create or replace trigger log_leaves_append_only before update or delete or truncate on log_leaves
  for each statement execute function refuse_change('log');
create or replace trigger log_node_append_only before update or delete or truncate on log_node
  for each statement execute function refuse_change('log');
create or replace trigger log_checkpoint_append_only before update or delete or truncate on log_checkpoint
  for each statement execute function refuse_change('log');
create or replace trigger log_cosignature_append_only before update or delete or truncate on log_cosignature
  for each statement execute function refuse_change('log');
create or replace trigger release_root_append_only before update or delete or truncate on release_root
  for each statement execute function refuse_change('log');

revoke update, delete, truncate on log_origin, log_leaves, log_node, log_checkpoint, log_cosignature, release_root from current_user, public;
