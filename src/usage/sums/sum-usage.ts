import type { Pool } from 'pg';
import type { Task } from '../../jobs/task.js';
import { isAskedFor } from '../ledger-search.js';
import { daysOf, usageOf } from './usage-sums.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      'sum-usage': object;
    }
  }
}

/** Its statement takes less than half a second. */
const entriesAtOnce = 10_000;
const listedTogether = 100;

const usage = 'select * from used';

// The entries of a balance are committed in the order of their numbers, so none can come later among those that are summed.
const sumNext = `
  with pending as materialized (
    select p.*, sum(until - summed) over (order by balance_id) as total
      from (
        select b.id as balance_id, coalesce(s.entries, 0) as summed, least(b.entry_count, coalesce(s.entries, 0) + $1::integer) as until, b.entry_count
          from credit_balance b left join summed_balance s on s.balance_id = b.id
         where b.entry_count > coalesce(s.entries, 0)
      ) p
  ), slice as materialized (
    select * from pending where total - (until - summed) < $1::integer
  ), entry as materialized (
    select e.* from slice s
     cross join lateral (
       select * from ledger_entry l where l.balance_id = s.balance_id and l.sequence > s.summed and l.sequence <= s.until offset 0
     ) e
  ), used as materialized (
    ${usageOf('select * from entry')}
  ), days as (
    insert into daily_usage as d (day, balance_id, reads, records, overage_cents, grants, tokens)
    ${daysOf(usage)}
        on conflict (day, balance_id) do update
       set reads = d.reads + excluded.reads, records = d.records + excluded.records, overage_cents = d.overage_cents + excluded.overage_cents,
           grants = d.grants + excluded.grants, tokens = d.tokens + excluded.tokens
  ), hours as (
    insert into hourly_usage as h (balance_id, hour, token_id, county_fips, reads, county_reads, records, overage_records, overage_cents, grants)
    select balance_id, date_trunc('hour', at, 'UTC'), token_id, county_fips, sum(reads), sum(county_reads), sum(records), sum(overage_records),
           sum(overage_cents), sum(grants)
      from used group by 1, 2, 3, 4
        on conflict (balance_id, hour, token_id, county_fips) do update
       set reads = h.reads + excluded.reads, county_reads = h.county_reads + excluded.county_reads, records = h.records + excluded.records,
           overage_records = h.overage_records + excluded.overage_records, overage_cents = h.overage_cents + excluded.overage_cents,
           grants = h.grants + excluded.grants
  ), placed as (
    select e.*, l.first_sequence, (row_number() over (partition by e.balance_id, e.county_fips order by e.sequence) - 1
                                   + coalesce(cardinality(l.sequences), 0)) / ${listedTogether} as part
      from (select balance_id, county_fips, sequence from entry e where county_fips is not null and (${isAskedFor})) e
      left join lateral (
        select * from county_entries c where c.balance_id = e.balance_id and c.county_fips = e.county_fips order by c.first_sequence desc limit 1
      ) l on true
  ), listed as (
    insert into county_entries as c (balance_id, county_fips, first_sequence, sequences)
    select balance_id, county_fips, coalesce(case part when 0 then first_sequence end, min(sequence)), array_agg(sequence order by sequence)
      from placed group by balance_id, county_fips, part, first_sequence
        on conflict (balance_id, county_fips, first_sequence) do update set sequences = c.sequences || excluded.sequences
  ), remembered as (
    insert into summed_balance select balance_id, until from slice
        on conflict (balance_id) do update set entries = excluded.entries
  )
  select coalesce(sum(until - summed), 0)::integer as entries,
         sum(until - summed) < (select sum(entry_count - summed) from pending) as "hasMore"
    from slice`;

/**
 * Sums the entries that came since the last time, in slices of one statement each.
 * @returns their number
 */
export async function sumUsage(
  pool: Pool,
  { signal, atOnce = entriesAtOnce }: { signal?: AbortSignal; atOnce?: number } = {},
): Promise<number> {
  const db = await pool.connect();
  let entries = 0;
  let isWell = false;
  try {
    for (;;) {
      signal?.throwIfAborted();
      await db.query(`begin; set local jit = off; set local work_mem = '64MB'`);
      // Two servers at it would sum an entry twice.
      await db.query(`select pg_advisory_xact_lock(hashtext('sum balances'))`);
      const { rows } = await db.query<{ entries: number; hasMore: boolean | null }>(sumNext, [atOnce]);
      await db.query('commit');
      entries += rows[0]!.entries;
      if (!rows[0]!.hasMore) break;
    }
    isWell = true;
    return entries;
  } finally {
    db.release(!isWell);
  }
}

/** Keeps the sums a few minutes behind the ledger. */
export const sumUsageTask = (pool: Pool): Task<'sum-usage'> => ({
  name: 'sum-usage',
  // The first one sums the whole ledger.
  timeLimitSeconds: 6 * 60 * 60,
  run: async (_, { signal }) => {
    await sumUsage(pool, { signal });
  },
});
