-- Whether the records of segments still exist: those of a pruned release do not. Called by `repeat_read` of the ledger.
create or replace function are_kept(p_segments integer[]) returns boolean language sql stable as $$
  select not exists (
    select from generate_series(1, cardinality(p_segments), 3) i join parcel_release r on r.id = p_segments[i] where r.state = 'pruned'
  )
$$;

-- Pruning or superseding a release changes which records can be read.
create or replace trigger parcel_release_bumps_coverage_version
  after update on parcel_release referencing new table as changed
  for each statement execute function bump_coverage_version();

-- Says of a county how much of it the current release has, whichever server or statement makes it current. Of sample data nothing is said,
-- since it is not coverage. A county with records in less than half of its area is partial: some have no parcels in half of it.
create or replace function describe_current_release() returns trigger language plpgsql as $$
begin
  select l.share, p.names into new.area_share, new.part_names
    from parcel_release r
    left join lateral (
      select array_agg(part ->> 'name' order by n) as names, array_agg((part ->> 'loadedBy')::integer) as ids
        from jsonb_array_elements(r.parts) with ordinality as parts (part, n)
    ) p on true
    left join lateral (
      select case when bool_and(share is not null) then round(least(sum(share), 1)::numeric, 4)::double precision end as share
        from parcel_release l
        cross join lateral (
          select (l.report #>> '{spread,filled}')::double precision / nullif((l.report #>> '{spread,cells}')::double precision, 0) as share
        ) s
       where l.id = any (coalesce(p.ids, array[r.id]))
    ) l on true
   where r.id = new.current_release_id and not r.is_sample;
  new.is_partial = coalesce(new.area_share < 0.5, new.part_names is not null);
  return new;
end $$;

create or replace trigger county_describes_its_release
  before update of current_release_id on county
  for each row execute function describe_current_release();
