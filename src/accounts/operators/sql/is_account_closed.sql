-- Whether the account was deleted or banned. Asked by `billing`, which knows nothing else of accounts.
create or replace function auth.is_account_closed(p_account_id text) returns boolean language sql stable as $$
  select exists (select from auth."user" where id = p_account_id and (banned or "deletedAt" is not null))
$$;
