const noToken = '00000000-0000-0000-0000-000000000000';

/**
 * Reads, reversals and grants among entries, with the columns of `usage_hour` but their own time `at`.
 * A read of several counties has a row for each; its overage is its tail. A reversal is of the segments of its read.
 * @param entries a select of whole entries
 */
export const usageOf = (entries: string): string => `
  select e.at, e.balance_id, coalesce(e.token_id, '${noToken}') as token_id, coalesce(p.county_fips, '') as county_fips,
         p.reads, p.county_reads, p.records, p.overage_records, p.overage_cents, (e.kind = 'grant')::integer as grants
    from (${entries}) e
    left join lateral (
      select o.segments from ledger_entry o
       where e.kind = 'reversal' and o.balance_id = e.balance_id and o.sequence = entry_sequence(e.reverses)
    ) o on true
   cross join lateral (
     select (e.kind = 'read')::integer as is_read, case e.kind when 'reversal' then -1 else 1 end as sign,
            case e.kind when 'reversal' then o.segments else e.segments end as segments, abs(e.records) - abs(e.overage_records) as included
   ) s
   cross join lateral (
     select r.county_fips::text as county_fips, case i when 3 then s.is_read else 0 end as reads, s.is_read as county_reads, s.sign * s.segments[i] as records,
            s.sign * least(s.segments[i], greatest(0, segment_records(s.segments[:i]) - s.included)) as overage_records,
            case i when 3 then e.overage_cents else 0 end as overage_cents
       from generate_series(3, cardinality(s.segments), 3) i left join parcel_release r on r.id = s.segments[i - 2]
      where e.records <> 0
      union all
     select e.county_fips, s.is_read, s.is_read, 0, 0, 0 where e.records = 0
   ) p
   where e.kind in ('read', 'reversal', 'grant')`;

/** The end of the last hour that was summed. No entry before it is missing from `usage_hour`. */
export const summedUntil = `coalesce((select max(hour) + interval '1 hour' from usage_hour), '-infinity')`;

interface UsageSpan {
  /** An expression of its first moment, and of the first one after it. */
  first: string;
  after: string;
  /** Up to when the sums are used. */
  summed: string;
  /** A condition of `usage_hour`, and a select of the same entries. */
  sums: string;
  entries: (first: string) => string;
}

/** The same, with as much of it as possible from `usage_hour`. */
export const usageBetween = ({ first, after, summed, sums, entries }: UsageSpan): string => `
  select hour as at, balance_id, token_id, county_fips, reads, county_reads, records, overage_records, overage_cents, grants
    from usage_hour where hour >= ${first} and hour < least(${after}, ${summed}) and ${sums}
   union all
  ${usageOf(entries(`greatest(${first}, ${summed})`))}`;
