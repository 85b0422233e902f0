-- How many records segments hold: flat triples of release, first ordinal and count.
create or replace function segment_records(p_segments integer[]) returns integer language plpgsql immutable as $$
declare v_records integer := 0;
begin
  for i in 3 .. cardinality(p_segments) by 3 loop
    v_records := v_records + p_segments[i];
  end loop;
  return v_records;
end $$;
