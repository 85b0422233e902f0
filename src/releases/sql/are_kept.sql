-- Whether the records of segments are still there; those of a release that was pruned are not. Asked by `repeat_read` of the room below.
create or replace function are_kept(p_segments integer[]) returns boolean language sql stable as $$
  select not exists (
    select from generate_series(1, cardinality(p_segments), 3) i join parcel_release r on r.id = p_segments[i] where r.state = 'pruned'
  )
$$;
