import type { Pool } from 'pg';
import { endedStatuses } from './subscription-status.js';

export async function unendedSubscriptions(pool: Pool, accountId: string): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>('select id from subscription where account_id = $1 and status <> all($2)', [
    accountId,
    endedStatuses,
  ]);
  return rows.map(({ id }) => id);
}

/** Whether overage waits for its report, or was reported so lately that Stripe, which needs some minutes, may not have added it up. */
export async function hasUnbilledOverage(pool: Pool, accountId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from overage_report r
       join subscription s on s.balance_id = r.balance_id
      where s.account_id = $1 and s.status <> all($2)
        and (r.state = 'waiting' or r.sent_at > service_now() - interval '10 minutes')
      limit 1`,
    [accountId, endedStatuses],
  );
  return rowCount === 1;
}
