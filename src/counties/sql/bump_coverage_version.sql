-- Counts every change of what is published and of what anybody may see of a county. A read names the version that its page was resolved with, and is refused when
-- another one holds by then: a withdrawal is in force on all servers for the very next read, and no server has to be told.
--
-- A statement that changed no row counts for nothing, else each start of a server and each prune would have all reads done again. A
-- trigger that sees which rows those are is of one event, and of all columns.
create or replace function bump_coverage_version() returns trigger language plpgsql as $$
begin
  if exists (select from changed) then update coverage_version set version = version + 1; end if;
  return null;
end $$;

create or replace trigger county_bumps_coverage_version
  after update on county referencing new table as changed
  for each statement execute function bump_coverage_version();

create or replace trigger new_county_bumps_coverage_version
  after insert on county referencing new table as changed
  for each statement execute function bump_coverage_version();

create or replace trigger deleted_county_bumps_coverage_version
  after delete on county referencing old table as changed
  for each statement execute function bump_coverage_version();
