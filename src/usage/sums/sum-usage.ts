import type { Pool } from 'pg';
import type { Task } from '../../jobs/task.js';
import { summedUntil, usageOf } from './usage-sums.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      'sum-usage': object;
    }
  }
}

// An entry gets its time before its commit, and a clock may be set back a little.
const margin = `interval '1 hour'`;

const nextDay = `
  select date_trunc('day', e.at, 'UTC') as day from ledger_entry e
   where e.at >= ${summedUntil} and e.at < date_trunc('day', service_now() - ${margin}, 'UTC') and e.kind in ('read', 'reversal', 'grant')
   order by e.at limit 1`;

const sumDay = `
  with hours as (
    insert into usage_hour (balance_id, hour, token_id, county_fips, reads, county_reads, records, overage_records, overage_cents, grants)
    select balance_id, date_trunc('hour', at, 'UTC'), token_id, county_fips, sum(reads), sum(county_reads), sum(records), sum(overage_records),
           sum(overage_cents), sum(grants)
      from (${usageOf(`select * from ledger_entry where at >= $1 and at < $1::timestamptz + interval '1 day'`)}) u
     group by 1, 2, 3, 4
    returning *
  )
  insert into usage_day (day, balance_id, reads, records, overage_cents, grants, tokens)
  select $1, balance_id, sum(reads), sum(records), sum(overage_cents), sum(grants), count(distinct token_id) filter (where reads > 0)
    from hours group by balance_id`;

/**
 * Sums the days (UTC) that have ended, oldest first, each in a transaction.
 * @returns their number
 */
export async function sumUsage(pool: Pool, signal?: AbortSignal): Promise<number> {
  const db = await pool.connect();
  let days = 0;
  let isWell = false;
  try {
    for (; ; days++) {
      signal?.throwIfAborted();
      await db.query('begin; set local jit = off');
      // Two servers at it would sum a day twice.
      await db.query(`select pg_advisory_xact_lock(hashtext('sum usage'))`);
      const { rows } = await db.query<{ day: Date }>(nextDay);
      if (rows[0]) await db.query(sumDay, [rows[0].day]);
      await db.query('commit');
      if (!rows[0]) break;
    }
    isWell = true;
    return days;
  } finally {
    db.release(!isWell);
  }
}

/** Writes the sums of each day after it has ended. */
export const sumUsageTask = (pool: Pool): Task<'sum-usage'> => ({
  name: 'sum-usage',
  // The first one sums the whole ledger.
  timeLimitSeconds: 6 * 60 * 60,
  run: async (_, { signal }) => {
    await sumUsage(pool, signal);
  },
});
