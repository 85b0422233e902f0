-- Counts every change of what is published and of what anybody may see of a county. A read names the version that its page was resolved with, and is refused when
-- another one holds by then: a withdrawal is in force on all servers for the very next read, and no server has to be told.
create or replace function bump_coverage_version() returns trigger language plpgsql as $$
begin
  update coverage_version set version = version + 1;
  return null;
end $$;

create or replace trigger county_bumps_coverage_version
  after insert or delete or update of name, state, status, current_release_id, parcel_count, source_date, loaded_at on county
  for each statement execute function bump_coverage_version();
