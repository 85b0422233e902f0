import type { Pool } from 'pg';
import { inTransaction } from '../database/statement-runner.js';
import type { Task } from '../jobs/task.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      'sum-usage': object;
    }
  }
}

/** Its statement takes less than half a second. */
const entriesAtOnce = 10_000;
const noToken = '00000000-0000-0000-0000-000000000000';

/**
 * Reads, reversals and grants among entries, with the columns of `hourly_usage`, but each with its own time `at`.
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

/**
 * One statement, so that an entry is in all sums or in none. The entries of a balance are committed in the order of their numbers, so none
 * can come later among those that are summed.
 * @param summed the column of `summed_balance` that counts them
 * @param last how many of balance `b` may be summed
 * @param sums common table expressions that add `entries` to the sums
 */
const addToSums = (summed: string, last: string, sums: string): string => `
  with pending as materialized (
    select p.*, sum(until - summed) over (order by balance_id) as total
      from (
        select b.id as balance_id, coalesce(s.${summed}, 0) as summed, least(n.last, coalesce(s.${summed}, 0) + $1::integer) as until, n.last
          from credit_balance b left join summed_balance s on s.balance_id = b.id cross join lateral (select ${last} as last offset 0) n
         where b.entry_count > coalesce(s.${summed}, 0) and n.last > coalesce(s.${summed}, 0) and ($2::text is null or b.account_id = $2)
      ) p
  ), slice as materialized (
    select * from pending where total - (until - summed) < $1::integer
  ), entries as (
    select e.* from slice s
     cross join lateral (
       select * from ledger_entry l where l.balance_id = s.balance_id and l.sequence > s.summed and l.sequence <= s.until offset 0
     ) e
  ), ${sums}, remembered as (
    insert into summed_balance (balance_id, ${summed}) select balance_id, until from slice
        on conflict (balance_id) do update set ${summed} = excluded.${summed}
  )
  select coalesce(sum(until - summed), 0)::integer as entries,
         coalesce(sum(until - summed) < (select sum(last - summed) from pending), false) as "hasMore"
    from slice`;

const usageSums = addToSums(
  'entries',
  'b.entry_count',
  `used as materialized (
    ${usageOf('select * from entries')}
  ), day_of_token as (
    select date_trunc('day', at, 'UTC') as day, balance_id, token_id, sum(reads) as reads, sum(records) as records,
           sum(overage_cents) as overage_cents, sum(grants) as grants
      from used group by 1, 2, 3
  ), days as (
    insert into daily_usage as d (day, balance_id, reads, records, overage_cents, grants, tokens)
    select day, balance_id, sum(reads), sum(records), sum(overage_cents), sum(grants),
           count(*) filter (where reads > 0 and not exists (
             select from hourly_usage h
              where h.balance_id = t.balance_id and h.hour >= t.day and h.hour < t.day + interval '24 hours' and h.token_id = t.token_id and h.reads > 0
           ))
      from day_of_token t group by day, balance_id
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
  )`,
);

const boughtSums = addToSums(
  'bought',
  // What `show_read` takes for final.
  `least(entries_before(b.id, service_now() - 2 * taken_back_within()),
         (select min(entry_sequence(u.entry_id)) - 1 from undelivered_read u where u.balance_id = b.id))`,
  `segments as materialized (
    select e.balance_id, e.token_id, e.segments[i] as release_id, e.segments[i + 1] as first, e.segments[i + 1] + e.segments[i + 2] as behind,
           max(e.id::text)::uuid as entry_id
      from entries e cross join generate_series(1, cardinality(e.segments), 3) i
     where e.kind = 'read' and e.records > 0 and not exists (select from ledger_entry l where l.balance_id = e.balance_id and l.reverses = e.id)
     group by 1, 2, 3, 4, 5
  ), latest as (
    insert into bought_segment (balance_id, token_id, release_id, first, behind, entry_id)
    select s.* from segments s join parcel_release r on r.id = s.release_id and r.state <> 'pruned'
        on conflict (release_id, balance_id, first, behind, token_id) do update set entry_id = excluded.entry_id
  ), runs as (
    insert into bought_run as b (balance_id, token_id, release_id, runs)
    select s.balance_id, t.id, s.release_id, range_agg(int4range(s.first, s.behind))
      from segments s cross join unnest(array[s.token_id, '${noToken}']) t (id) group by 1, 2, 3
        on conflict (balance_id, token_id, release_id) do update set runs = b.runs + excluded.runs where not b.runs @> excluded.runs
  )`,
);

/** So many that it takes seconds; the next job goes on. */
const dropSegments = `
  delete from bought_segment where ctid = any(array(
    select ctid from bought_segment where release_id = any(array(select id from parcel_release where state = 'pruned')) limit 200000))`;

interface SumOptions {
  /** Only the balances of this account. */
  accountId?: string;
  signal?: AbortSignal;
  atOnce?: number;
  statement?: string;
}

/**
 * Adds the entries that came since the last time to the sums, in slices of one statement each. Whoever shows sums does this first.
 * @returns their number
 */
export async function sumUsage(
  pool: Pool,
  { accountId, signal, atOnce = entriesAtOnce, statement = usageSums }: SumOptions = {},
): Promise<number> {
  for (let entries = 0; ; ) {
    signal?.throwIfAborted();
    const slice = await inTransaction(pool, `begin; set local jit = off; set local work_mem = '64MB'`, async (db) => {
      // Two servers at it would sum an entry twice.
      await db.query(`select pg_advisory_xact_lock(hashtext('sum balances'))`);
      return (await db.query<{ entries: number; hasMore: boolean }>(statement, [atOnce, accountId ?? null])).rows[0]!;
    });
    entries += slice.entries;
    if (!slice.hasMore) return entries;
  }
}

/** Keeps the sums a few minutes behind the ledger, so that a page has little to add. */
export const sumUsageTask = (pool: Pool): Task<'sum-usage'> => ({
  name: 'sum-usage',
  // After a repair it sums the whole ledger.
  timeLimitSeconds: 6 * 60 * 60,
  run: async (_, { signal }) => {
    await sumUsage(pool, { signal });
    await sumUsage(pool, { signal, statement: boughtSums });
    await pool.query(dropSegments);
  },
});
