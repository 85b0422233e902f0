-- The first records of segments: what is granted of what was wanted.
create or replace function head_of_segments(p_segments integer[], p_records integer) returns integer[] language plpgsql immutable as $$
declare
  v_head integer[] := '{}';
  v_left integer := p_records;
begin
  for i in 3 .. cardinality(p_segments) by 3 loop
    exit when v_left = 0;
    v_head := v_head || array[p_segments[i - 2], p_segments[i - 1], least(p_segments[i], v_left)];
    v_left := v_left - least(p_segments[i], v_left);
  end loop;
  return v_head;
end $$;
