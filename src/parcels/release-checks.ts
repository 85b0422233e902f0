import type { AuditCheck } from '../usage/audit.js';

/** What holds of releases and the reads that they were sold by. */
export const releaseChecks: AuditCheck[] = [
  {
    invariant: 'every segment lies within its release',
    sql: `
      select count(*)::integer as checked,
             (array_agg(format('entry %s read records %s to %s of release %s, which has %s', s.id, s.first, s.first + s.count - 1, s.release_id, coalesce(r.loaded_count, 0)) order by s.id)
               filter (where r.id is null or s.first < 1 or s.count < 1 or s.first + s.count - 1 > r.loaded_count))[1] as first_break
        from (
          select e.id, e.segments[i - 2] as release_id, e.segments[i - 1] as first, e.segments[i] as count
            from ledger_entry e, generate_series(3, coalesce(array_length(e.segments, 1), 0), 3) i
           where e.kind = 'read'
        ) s left join parcel_release r on r.id = s.release_id`,
  },
  {
    invariant: 'every readable release holds exactly the records it counts, numbered without gaps',
    sql: `
      select count(*)::integer as checked,
             min(format('release %s counts %s records, %s are there, numbered %s to %s', r.id, r.loaded_count, p.count, p.first, p.last))
               filter (where p.count <> r.loaded_count or (r.loaded_count > 0 and (p.first <> 1 or p.last <> r.loaded_count))) as first_break
        from parcel_release r
       cross join lateral (select count(*) as count, min(ordinal) as first, max(ordinal) as last from parcel where release_id = r.id) p
       where r.state = 'published'`,
  },
];
