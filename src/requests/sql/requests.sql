-- The partition of the calls of a day.
create or replace function request_slot(p_at timestamptz) returns smallint language sql immutable parallel safe as $$
  select (floor(extract(epoch from p_at) / 86400)::integer % 32)::smallint
$$;

-- Deletes calls older than 30 days. The partition that tomorrow's calls go to has those of the day 31 days ago, and nothing else unless this
-- function comes at midnight.
create or replace function prune_requests() returns void language plpgsql as $$
declare
  v_oldest timestamptz := service_now() - interval '30 days';
  v_partition text := 'request_batch_' || request_slot(service_now() + interval '1 day');
  v_has_newer boolean;
begin
  execute format('lock table %I in access exclusive mode', v_partition);
  execute format('select exists (select from %I where at > $1)', v_partition) into v_has_newer using v_oldest;
  if not v_has_newer then execute format('truncate %I', v_partition); end if;
  delete from request_count where hour < v_oldest - interval '1 hour';
end $$;
