-- Pruning a release, or superseding one, changes which records can be read.
create or replace trigger parcel_release_bumps_coverage_version
  after update on parcel_release referencing new table as changed
  for each statement execute function bump_coverage_version();
