import type { Pool } from 'pg';
import { endedStatuses, liveStatuses } from '../../billing/subscriptions/subscription-reading.js';
import { usd } from '../../ledger/money.js';
import { plans } from '../../ledger/plans.js';
import { rejectionOf } from '../../tokens/token.store.js';
import { sumUsage } from '../../usage/sum-usage.js';
import type { BillingWarning, Dashboard, DashboardDay } from './dashboard.js';
import { waitingCounts } from './waiting-counts.js';

type Stored = Omit<Dashboard, 'freeDiskShare' | 'heldReleases'>;
type SumProgress = Pick<Dashboard, 'summedEntries' | 'ledgerEntries'>;

const waiting = Object.entries(waitingCounts).map(([field, count]) => `${count}::integer as "${field}"`);

/** How long the page waits for its sums. */
const sumMs = 2_000;

/** Statistics of the service. */
export async function readDashboard(pool: Pool, days: number): Promise<Stored> {
  const [totals, billingWarnings, sums] = await Promise.all([
    pool.query<Omit<Stored, 'days' | 'billingWarnings' | keyof SumProgress>>(
      `select
           (select count(*)::integer from auth."user" where "deletedAt" is null) as accounts,
           (select count(*)::integer from api_token t join credit_balance b on b.id = t.balance_id where ${rejectionOf} is null)
             as "activeTokens",
           (select count(*)::integer from subscription where status = any($1)) as "activeSubscriptions",
           ${waiting.join(', ')}, pg_database_size(current_database())::text as "databaseBytes"`,
      [liveStatuses],
    ),
    pool.query<BillingWarning>(
      `select s.id as "subscriptionId", s.account_id as "accountId", u.email as "accountEmail", s.warning as text
           from subscription s left join auth."user" u on u.id = s.account_id
          where s.warning is not null and (s.status <> all($1) or s.ends_at > service_now() - interval '30 days')
          order by s.created_at desc, s.id limit 20`,
      [endedStatuses],
    ),
    bringUpToDate(pool).then(async (progress) => ({ ...progress, days: await readDays(pool, days) })),
  ]);
  return { ...totals.rows[0]!, ...sums, billingWarnings: billingWarnings.rows };
}

/** Null when the sums are up to date. What is missing after `sumMs`, or while somebody else sums, a job adds. */
async function bringUpToDate(pool: Pool): Promise<SumProgress> {
  try {
    await sumUsage(pool, { signal: AbortSignal.timeout(sumMs) });
    return { summedEntries: null, ledgerEntries: null };
  } catch (error) {
    const { name, code } = error as Error & { code?: unknown };
    if (name !== 'TimeoutError' && code !== '55P03') throw error;
    const { rows } = await pool.query<SumProgress>(
      `select (select coalesce(sum(entries), 0) from summed_balance)::float as "summedEntries",
              (select sum(entry_count) from credit_balance)::float as "ledgerEntries"`,
    );
    return rows[0]!;
  }
}

async function readDays(pool: Pool, days: number): Promise<DashboardDay[]> {
  const { rows } = await pool.query<DashboardDay>(
    `with today as (
         select (service_now() at time zone 'UTC')::date as today
       ), span as (
         select today - $1::integer + 1 as first, (today - $1::integer + 1)::timestamp at time zone 'UTC' as since from today
       ), used as (
         select (u.day at time zone 'UTC')::date as date, sum(u.reads)::integer as reads, sum(u.records)::integer as records,
                sum(c.cents) filter (where b.is_metered) as revenue, sum(c.cents) filter (where not b.is_metered) as given,
                sum(u.tokens)::integer as tokens
           from daily_usage u join credit_balance b on b.id = u.balance_id
          cross join lateral (
            select u.overage_cents + case when b.plan = 'paid' then u.grants * $2::integer else 0 end as cents
          ) c
          where u.day >= (select since from span)
          group by 1
       ), error as (
         select (at at time zone 'UTC')::date as date, count(*)::integer as errors
           from (
             select received_at as at from stripe_event where state = 'failed'
             union all
             select coalesce(ended_at, started_at) from parcel_release where state = 'failed'
           ) e, span where at >= span.since
          group by 1
       )
       select d::date::text as date, coalesce(reads, 0) as reads, coalesce(records, 0) as records,
              coalesce(revenue, 0)::text as "revenueUsd", coalesce(given, 0)::text as "givenUsd",
              coalesce(errors, 0) as errors, coalesce(tokens, 0) as "activeTokens"
         from today cross join span cross join generate_series(span.first, today, interval '1 day') d
         left join used on used.date = d::date
         left join error on error.date = d::date
        order by d`,
    [days, plans.paid.priceCents],
  );
  // In cents until here.
  return rows.map((day) => ({ ...day, revenueUsd: usd(BigInt(day.revenueUsd)), givenUsd: usd(BigInt(day.givenUsd)) }));
}
