import type { Pool } from 'pg';
import { usd } from '../ledger/money.js';
import { plans } from '../ledger/plans.js';
import type { AccountBalance } from './balance.js';
import { projectOverage } from './projection.js';

type BalanceRow = Omit<AccountBalance, 'overageUsd' | 'overageCapUsd' | 'billSoFarUsd' | 'projectedOverageRecords' | 'projectedBillUsd'> & {
  overageUnitCents: number | null;
  isMetered: boolean;
  usedRecords: number;
  now: Date;
};

/** The balances of an account, with what they cost. */
export class BalanceStore {
  constructor(private readonly pool: Pool) {}

  /** Active ones first, then the latest. */
  async ofAccount(accountId: string, limit: number, offset: number): Promise<AccountBalance[]> {
    await this.pool.query('select open_due_periods($1)', [accountId]);
    // Adjustments also move `remaining`, so they are subtracted from the records used.
    const { rows } = await this.pool.query<BalanceRow>(
      `select b.id, b.plan, b.remaining as "creditsRemaining", b.grant_records as "includedRecords", b.overage_records as "overageRecords",
              b.overage_unit_cents as "overageUnitCents", b.is_metered as "isMetered", b.overage_cap as "overageCap",
              b.period_start as "periodStart", b.period_end as "periodEnd", b.ends_at as "endsAt", n.now,
              (b.grant_records + a.credits - b.remaining + b.overage_records)::float as "usedRecords"
         from (select service_now() as now) n, credit_balance b
        cross join lateral (
          select coalesce(sum(e.credits), 0) as credits from ledger_entry e
           where e.balance_id = b.id and e.kind = 'adjustment' and e.period_start = b.period_start
        ) a
        where b.account_id = $1
        order by coalesce(b.ends_at > n.now, true) desc, b.period_start desc, b.id
        limit $2 offset $3`,
      [accountId, limit, offset],
    );
    return rows.map(priced);
  }
}

function priced({ overageUnitCents, isMetered, usedRecords, now, ...row }: BalanceRow): AccountBalance {
  const cents = (records: number) => BigInt(records) * BigInt(overageUnitCents ?? 0);
  const balance = {
    ...row,
    overageUsd: usd(cents(row.overageRecords)),
    overageCapUsd: row.overageCap === null ? null : usd(cents(row.overageCap)),
  };
  // A trial and a paid plan given by an operator are not billed.
  if (!isMetered) {
    return { ...balance, billSoFarUsd: null, projectedOverageRecords: null, projectedBillUsd: null };
  }
  const { periodStart, periodEnd, endsAt, creditsRemaining, overageRecords, overageCap } = balance;
  const projectedOverageRecords = projectOverage({
    startedAt: periodStart,
    endsAt: endsAt && endsAt < periodEnd ? endsAt : periodEnd,
    now,
    usedRecords,
    includedLeft: creditsRemaining,
    overageRecords,
    overageCap,
  });
  const price = BigInt(plans.paid.priceCents);
  return {
    ...balance,
    billSoFarUsd: usd(price + cents(overageRecords)),
    projectedOverageRecords,
    projectedBillUsd: projectedOverageRecords === null ? null : usd(price + cents(projectedOverageRecords)),
  };
}
