-- Raises the version at every change of a county or of what is published. A read names the version that its page was found with, and is
-- refused if the version has changed: so a withdrawal applies to the very next read on all servers, without telling them.
--
-- A statement that changed no row does not count; otherwise each start and each prune would repeat all reads. Postgres allows transition
-- tables only for triggers of one event without a column list.
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
