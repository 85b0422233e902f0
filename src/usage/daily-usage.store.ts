import { DatabaseError, type Pool } from 'pg';
import { invalidRequest, quoteValue } from '../core/parameters.js';
import type { DailyUsage, DailyUsageArgs, UsageGrouping } from './daily-usage.js';

const maxDays = 400;
const maxRows = 10_000;
const dayMs = 24 * 60 * 60 * 1000;
// invalid_parameter_value: a time zone that Postgres does not know.
const badTimeZone = '22023';

/** An account's reads, day by day. */
export class DailyUsageStore {
  constructor(private readonly pool: Pool) {}

  /** @throws AppError invalid_request */
  async ofAccount(accountId: string, { from, to, by, timeZone }: DailyUsageArgs): Promise<DailyUsage[]> {
    const days = (Date.parse(to) - Date.parse(from)) / dayMs + 1;
    const rule = days < 1 ? `must not be before ${from}` : days > maxDays ? `must be at most ${maxDays} days from ${from}` : null;
    if (rule) throw invalidRequest([{ parameter: 'to', message: `${rule}, not ${quoteValue(to)}` }]);
    try {
      const { rows } = await this.pool.query<DailyUsage>(`${sums[by]} limit ${maxRows + 1}`, [accountId, from, to, timeZone]);
      if (rows.length > maxRows) {
        throw invalidRequest([{ parameter: 'from', message: `and to must be nearer: these are more than ${maxRows} rows` }]);
      }
      return rows;
    } catch (error) {
      const code = error instanceof DatabaseError ? error.code : undefined;
      if (code === badTimeZone) throw invalidRequest([{ parameter: 'time_zone', message: `is not known here: ${quoteValue(timeZone)}` }]);
      throw error;
    }
  }
}

// The index by time finds the days of a large ledger, the account's own one those of a small one.
const entries = `
  with span as (
    select ($2::date)::timestamp at time zone $4 as first, ($3::date + 1)::timestamp at time zone $4 as after
  ), entry as (
    select e.*, (e.at at time zone $4)::date::text as date
      from span s, credit_balance b join ledger_entry e on e.balance_id = b.id
     where b.account_id = $1 and e.kind in ('read', 'reversal')
       and e.at >= s.first and e.at < s.after
  )`;

const totals = `
  count(*) filter (where e.kind = 'read')::integer as reads,
  sum(e.records)::integer as records, sum(e.overage_records)::integer as "overageRecords"`;

const sums: Record<UsageGrouping, string> = {
  day: `${entries} select e.date, '' as key, '' as label, ${totals} from entry e group by e.date order by e.date`,

  token: `${entries}
    select s.*, s.key, t.name as label
      from (select e.date, e.token_id as key, ${totals} from entry e group by e.date, e.token_id) s join api_token t on t.account_id = $1 and t.id = s.key
     order by s.date, t.issued_at, s.key`,

  // A request for all counties may have read from several: each has what was read of it, and the overage is the read's tail.
  // What takes a read back has no records of its own; they are those of the read.
  county: `${entries}, part as (
      select e.date, e.kind, r.county_fips, e.sign * p.count as records,
             e.sign * least(p.count, greatest(0, p.count_to_here - e.included)) as overage_records
        from (
          select e.date, e.kind, case e.kind when 'read' then e.segments else o.segments end as segments,
                 case e.kind when 'read' then 1 else -1 end as sign, abs(e.records) - abs(e.overage_records) as included
            from entry e left join ledger_entry o on o.balance_id = e.balance_id and o.sequence = entry_sequence(e.reverses)
        ) e
       cross join lateral (
         select e.segments[i - 2] as release_id, e.segments[i] as count, sum(e.segments[i]) over (order by i) as count_to_here
           from generate_series(3, array_length(e.segments, 1), 3) i
       ) p
        join parcel_release r on r.id = p.release_id
       union all
      select date, kind, county_fips, 0, 0 from entry where records = 0
    )
    select e.date, coalesce(e.county_fips, '') as key, coalesce(min(c.name || ', ' || c.state), 'No county') as label, ${totals}
      from part e left join county c on c.fips = e.county_fips
     group by e.date, e.county_fips
     order by e.date, e.county_fips`,
};
