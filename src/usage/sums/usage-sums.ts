const noToken = '00000000-0000-0000-0000-000000000000';

/**
 * Reads, reversals and grants among entries, with the columns of `usage_hour`, but each with its own time `at`.
 * A read of several counties has a row for each; its overage is its tail. A reversal is of the segments of its read.
 * @param entries a select of whole entries. Planned by itself: Postgres expects a thousand segments each, and would read the whole ledger in order
 */
export const usageOf = (entries: string): string => `
  select e.at, e.balance_id, coalesce(e.token_id, '${noToken}') as token_id,
         coalesce(case when e.records = 0 then e.county_fips else r.county_fips end, '')::text as county_fips,
         case i when 3 then s.is_read else 0 end as reads, s.is_read as county_reads, s.sign * coalesce(s.segments[i], 0) as records,
         case when e.overage_records = 0 then 0 else s.sign * least(s.segments[i], greatest(0,
           case i when 3 then s.segments[3] else segment_records(s.segments[:i]) end - s.included)) end as overage_records,
         case i when 3 then e.overage_cents else 0 end as overage_cents, (e.kind = 'grant')::integer as grants
    from (${entries} offset 0) e
   cross join lateral (
     select (e.kind = 'read')::integer as is_read, abs(e.records) - abs(e.overage_records) as included,
            case e.kind when 'reversal' then -1 else 1 end as sign,
            case e.kind when 'reversal' then (
              select o.segments from ledger_entry o where o.balance_id = e.balance_id and o.sequence = entry_sequence(e.reverses)
            ) else e.segments end as segments
      offset 0
   ) s
   cross join lateral generate_series(3, greatest(3, cardinality(s.segments)), 3) i
    left join parcel_release r on r.id = s.segments[i - 2]
   where e.kind in ('read', 'reversal', 'grant')`;

/** What `usageOf` gives, by day (UTC) and balance, with the columns of `daily_usage`. `tokens` are those that the sums do not count yet. */
export const daysOf = (usage: string): string => `
  select day, balance_id, sum(reads)::integer as reads, sum(records)::integer as records, sum(overage_cents)::bigint as overage_cents,
         sum(grants)::integer as grants,
         (count(*) filter (where reads > 0 and not exists (
           select from hourly_usage h
            where h.balance_id = t.balance_id and h.hour >= t.day and h.hour < t.day + interval '24 hours' and h.token_id = t.token_id and h.reads > 0
         )))::integer as tokens
    from (
      select date_trunc('day', at, 'UTC') as day, balance_id, token_id, sum(reads) as reads, sum(records) as records,
             sum(overage_cents) as overage_cents, sum(grants) as grants
        from (${usage}) u group by 1, 2, 3
    ) t
   group by day, balance_id`;
