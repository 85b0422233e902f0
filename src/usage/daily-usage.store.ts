import { DatabaseError, type Pool } from 'pg';
import { invalidRequest, quoteValue } from '../core/parameters.js';
import type { DailyUsage, DailyUsageArgs, UsageGrouping } from './daily-usage.js';
import { sumUsage, usageOf } from './sum-usage.js';

const maxDays = 400;
const maxRows = 10_000;
const dayMs = 24 * 60 * 60 * 1000;
// invalid_parameter_value: a time zone that Postgres does not know.
const badTimeZone = '22023';

/**
 * An account's reads, day by day.
 * @throws AppError invalid_request
 */
export async function dailyUsageOf(pool: Pool, accountId: string, { from, to, by, timeZone }: DailyUsageArgs): Promise<DailyUsage[]> {
  const days = (Date.parse(to) - Date.parse(from)) / dayMs + 1;
  const rule = days < 1 ? `must not be before ${from}` : days > maxDays ? `must be at most ${maxDays} days from ${from}` : null;
  if (rule) throw invalidRequest([{ parameter: 'to', message: `${rule}, not ${quoteValue(to)}` }]);
  await sumUsage(pool, { accountId });
  try {
    const { rows } = await pool.query<DailyUsage>(`${sums[by]} limit ${maxRows + 1}`, [accountId, from, to, timeZone]);
    if (rows.length > maxRows) {
      throw invalidRequest([{ parameter: 'from', message: `and to must be nearer: these are more than ${maxRows} rows` }]);
    }
    return rows;
  } catch (error) {
    throw faultOfZone(error, timeZone) ?? error;
  }
}

/** The error of a query for days, if Postgres does not know their time zone. */
export function faultOfZone(error: unknown, timeZone: string): Error | null {
  const code = error instanceof DatabaseError ? error.code : undefined;
  if (code !== badTimeZone) return null;
  return invalidRequest([{ parameter: 'time_zone', message: `is not known here: ${quoteValue(timeZone)}` }]);
}

// SQL, for the plan. Hours of UTC that lie in one day of the zone are summed already. An hour that two days share (India, Newfoundland) is
// read from its entries, which are found by their numbers. Times may be a minute out of order: a standby's clock may be behind.
const usage = `
  with start as (
    select d::timestamp at time zone $4 as at from generate_series($2::date::timestamp, ($3::date + 1)::timestamp, interval '1 day') d
  ), span as (
    select min(at) as first, max(at) as after from start
  ), shared as (
    select distinct hour from start cross join lateral date_trunc('hour', at, 'UTC') hour where hour <> at
  ), balance as (
    select b.id, s.entries from credit_balance b join summed_balance s on s.balance_id = b.id where b.account_id = $1
  ), used as (
    select (u.at at time zone $4)::date::text as date, u.* from (
      select h.hour as at, h.token_id, h.county_fips, h.reads, h.county_reads, h.records, h.overage_records, h.grants
        from span s cross join balance b
        join hourly_usage h on h.balance_id = b.id and h.hour >= s.first and h.hour < s.after
       where h.hour not in (select hour from shared)
       union all
      select at, token_id, county_fips, reads, county_reads, records, overage_records, grants from (${usageOf(`
        select e.* from span s cross join balance b cross join shared h cross join lateral (
          select * from ledger_entry i
           where i.balance_id = b.id and i.sequence > entries_before(b.id, h.hour - interval '1 minute')
             and i.sequence <= least(b.entries, entries_before(b.id, h.hour + interval '61 minutes'))
             and i.at >= h.hour and i.at < h.hour + interval '1 hour'
          offset 0
        ) e where e.at >= s.first and e.at < s.after`)}) e
    ) u where u.grants = 0
  )`;

const totalsOf = (reads: string) => `
  sum(u.${reads})::integer as reads, sum(u.records)::integer as records, sum(u.overage_records)::integer as "overageRecords"`;

const sums: Record<UsageGrouping, string> = {
  day: `${usage} select u.date, '' as key, '' as label, ${totalsOf('reads')} from used u group by u.date order by u.date`,

  token: `${usage}
    select s.*, s.key, t.name as label
      from (select u.date, u.token_id as key, ${totalsOf('reads')} from used u group by u.date, u.token_id) s
      join api_token t on t.account_id = $1 and t.id = s.key
     order by s.date, t.issued_at, s.key`,

  county: `${usage}
    select u.date, u.county_fips as key, coalesce(min(c.name || ', ' || c.state), 'No county') as label, ${totalsOf('county_reads')}
      from used u left join county c on c.fips = u.county_fips
     group by u.date, u.county_fips
     order by u.date, u.county_fips`,
};
