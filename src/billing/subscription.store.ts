import type { Pool } from 'pg';
import { AppError } from '../errors.js';
import { usd } from '../usage/money.js';
import type { Subscription } from './subscription.js';
import { liveStatuses } from './subscription-status.js';

/** Subscriptions as their accounts see them. What Stripe says reaches them through `SubscriptionSync` alone. */
export class SubscriptionStore {
  constructor(private readonly pool: Pool) {}

  /** The account's living subscription, else its last one. A period that is over but not yet rolled is shown as it will be. */
  async ofAccount(accountId: string): Promise<Subscription | null> {
    const { rows } = await this.pool.query<Omit<Subscription, 'overageUsd'> & { overageCents: string }>(
      `select s.id, s.status, s.ends_at as "endsAt", b.overage_cap as "overageCap",
              ${isLive} as "isLive",
              case when is_due then b.period_end else coalesce(b.period_start, s.period_start) end as "periodStart",
              case when is_due then period_end_after(b.period_anchor, b.period_end) else coalesce(b.period_end, s.period_end) end as "periodEnd",
              case when is_due then b.grant_records else coalesce(b.remaining, 0) end as "creditsRemaining",
              case when is_due then 0 else coalesce(b.overage_records, 0) end as "overageRecords",
              (case when is_due then 0 else coalesce(b.overage_records, 0)::bigint * b.overage_unit_cents end)::text as "overageCents"
         from subscription s
         left join credit_balance b on b.id = s.balance_id
        cross join lateral (select coalesce(${isLive} and b.period_end <= service_now(), false) as is_due) due
        where s.account_id = $1
        order by ${isLive} desc, s.created_at desc
        limit 1`,
      [accountId, liveStatuses],
    );
    const row = rows[0];
    if (!row) return null;
    const { overageCents, ...subscription } = row;
    return { ...subscription, overageUsd: usd(BigInt(overageCents ?? 0)) };
  }

  /**
   * The balance that the account's paid tokens draw on.
   * @throws AppError subscription_required without a living, paid subscription
   */
  async requireLiveBalance(accountId: string): Promise<string> {
    const { rows } = await this.pool.query<{ balanceId: string }>(
      `select s.balance_id as "balanceId" from subscription s
        where s.account_id = $1 and s.balance_id is not null and ${isLive}
        order by s.created_at desc
        limit 1`,
      [accountId, liveStatuses],
    );
    const balanceId = rows[0]?.balanceId;
    if (!balanceId) throw new AppError('subscription_required', 'This needs a paid subscription. Subscribe under Billing.');
    return balanceId;
  }

  /** Whether the account goes on paying, with no end in sight. */
  async hasRunningPlan(accountId: string): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      'select from subscription where account_id = $1 and status = any($2) and ends_at is null limit 1',
      [accountId, liveStatuses],
    );
    return rowCount === 1;
  }

  /** Holds from the next read on; the row lock lets a read under way finish by the old bound. */
  async setOverageCap(balanceId: string, records: number | null): Promise<number | null> {
    await this.pool.query('update credit_balance set overage_cap = $2 where id = $1', [balanceId, records]);
    return records;
  }
}

// A cancelled one is living until its end.
const isLive = `(s.status = any($2) and (s.ends_at is null or s.ends_at > service_now()))`;
