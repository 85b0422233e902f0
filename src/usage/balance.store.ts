import type { Pool } from 'pg';
import { type InCents, inUsd } from '../ledger/money.js';
import { AccountBalance } from './balance.js';

/** The public columns of `credit_balance b`. */
export const balanceColumns = `
  b.id, b.plan, b.remaining as "creditsRemaining", b.grant_records as "includedRecords", b.overage_records as "overageRecords",
  (b.overage_records::bigint * coalesce(b.overage_unit_cents, 0))::text as "overageCents", b.overage_cap as "overageCap",
  b.overage_cap - least(b.overage_cap, b.overage_records) as "overageLeft",
  b.period_start as "periodStart", b.period_end as "periodEnd", b.ends_at as "endsAt"`;

/** The balances of an account, with what they cost: active ones first, then the latest. */
export async function balancesOf(pool: Pool, accountId: string, limit: number, offset: number): Promise<AccountBalance[]> {
  await pool.query('select open_due_periods($1)', [accountId]);
  // SQL, since adjustments also move `remaining`: they are subtracted from the records used.
  const { rows } = await pool.query<InCents<AccountBalance>>(
    `select ${balanceColumns}, b.overage_unit_cents as "unitCents", b.is_metered as "isMetered", service_now() as now,
            (b.grant_records + a.credits - b.remaining + b.overage_records)::float as "usedRecords"
       from credit_balance b
      cross join lateral (
        select coalesce(sum(e.credits), 0) as credits from ledger_entry e
         where e.balance_id = b.id and e.kind = 'adjustment' and e.period_start = b.period_start
      ) a
      where b.account_id = $1
      order by coalesce(b.ends_at > service_now(), true) desc, b.period_start desc, b.id
      limit $2 offset $3`,
    [accountId, limit, offset],
  );
  return rows.map((row) => Object.assign(new AccountBalance(), inUsd(row)));
}
