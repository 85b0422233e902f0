-- Pruning a release, or superseding one, changes which records can be read.
create or replace trigger parcel_release_bumps_coverage_version
  after update of state, superseded_at on parcel_release
  for each statement execute function bump_coverage_version();
