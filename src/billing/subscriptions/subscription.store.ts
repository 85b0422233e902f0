import type { DataSource } from 'typeorm';
import { AppError } from '../../core/errors.js';
import { CreditBalanceEntity } from '../../ledger/credit-balance.entity.js';
import { type InCents, inUsd, usd } from '../../ledger/money.js';
import { plans } from '../../ledger/plans.js';
import { balanceRejection } from '../../tokens/token.store.js';
import { SubscriptionEntity } from './subscription.entity.js';
import type { NextBill, Subscription } from './subscription.js';
import { endedStatuses, liveStatuses } from './subscription-status.js';

const hasEnded = 's.status in (:...endedStatuses)';

// From its first paid invoice to its end, and no further beyond the last paid period than tokens work.
const isLive = `(b.id is not null and ${balanceRejection} is distinct from 'expired')`;

// While an overage bill is unpaid, the balance's own cap is 0.
const overageCap = 'case when s.isOverageStopped then s.keptCap else b.overageCap end';

type Row = Omit<InCents<Subscription>, 'overageCapUsd' | 'nextBill'> & { overageCapCents: string | null; unbilled: Unbilled[] };

/** A row of `overage_due`. */
interface Unbilled {
  periodStart: string;
  periodEnd: string;
  records: number;
  unitCents: number;
}

const columns: Record<keyof Row, string> = {
  id: 's.id',
  status: 's.status',
  isLive,
  hasEnded,
  periodStart: 'coalesce(b.periodStart, s.periodStart)',
  periodEnd: 'coalesce(b.periodEnd, s.periodEnd)',
  endsAt: 's.endsAt',
  creditsRemaining: 'coalesce(b.remaining, 0)',
  overageRecords: 'coalesce(b.overageRecords, 0)',
  overageCents: 'cast(coalesce(cast(b.overageRecords as bigint) * b.overageUnitCents, 0) as text)',
  overageCap,
  overageCapCents: `cast(cast(${overageCap} as bigint) * coalesce(b.overageUnitCents, 0) as text)`,
  overageStoppedBy: 'case when s.isOverageStopped then s.unpaidBill end',
  unbilled: `(
    select coalesce(json_agg(json_build_object(
             'periodStart', d.period_start, 'periodEnd', d.period_end, 'records', d.records, 'unitCents', d.unit_cents
           ) order by d.period_start), '[]')
      from overage_due(s.stripeCustomerId) d where d.unit_cents is not null)`,
};

/** Subscriptions as their owners see them. `SubscriptionSync` writes them. */
export class SubscriptionStore {
  constructor(private readonly dataSource: DataSource) {}

  /** The account's live subscription, or its last one. */
  async ofAccount(accountId: string): Promise<Subscription | null> {
    await this.dataSource.query('select open_due_periods($1)', [accountId]);
    const query = this.lastFirst(accountId).select([]);
    for (const [name, expression] of Object.entries(columns)) query.addSelect(expression, name);
    const row = await query.limit(1).getRawOne<Row>();
    if (!row) return null;
    const { unbilled: _, overageCapCents, ...subscription } = row;
    return {
      ...inUsd<Omit<Subscription, 'overageCapUsd' | 'nextBill'>>(subscription),
      overageCapUsd: overageCapCents && usd(BigInt(overageCapCents)),
      nextBill: nextBillOf(row),
    };
  }

  /**
   * The balance that the account's paid tokens draw on.
   * @throws AppError subscription_required without a live, paid subscription
   */
  async requireLiveBalance(accountId: string): Promise<string> {
    const subscription = await this.lastFirst(accountId).andWhere(isLive).limit(1).getOne();
    if (!subscription?.balanceId) throw new AppError('subscription_required', 'This needs a paid subscription. Subscribe under Billing.');
    return subscription.balanceId;
  }

  /** Whether the account has a subscription that is, or may still be, paid. */
  hasUnended(accountId: string): Promise<boolean> {
    return this.ofAccountQuery(accountId).andWhere(`not ${hasEnded}`).getExists();
  }

  /** Whether our copy shows a paid subscription in its period. */
  async hasPaidPeriod(accountId: string): Promise<boolean> {
    return this.withBalances(accountId).andWhere('s.periodEnd > service_now()').andWhere(isLive).getExists();
  }

  /** Whether the account has a live subscription that was not cancelled. */
  hasRunningPlan(accountId: string): Promise<boolean> {
    return this.ofAccountQuery(accountId).andWhere('s.status in (:...liveStatuses) and s.endsAt is null').getExists();
  }

  /**
   * Applies from the next read: a running read holds the row's lock and ends with the old cap. While the balance's overage is stopped, it
   * applies once that ends.
   */
  setOverageCap(balanceId: string, records: number | null): Promise<number | null> {
    return this.dataSource.transaction(async (manager) => {
      const { isOverageStopped } = await manager.findOneOrFail(SubscriptionEntity, {
        where: { balanceId },
        lock: { mode: 'pessimistic_write' },
      });
      if (isOverageStopped) await manager.update(SubscriptionEntity, { balanceId }, { keptCap: records });
      else await manager.update(CreditBalanceEntity, { id: balanceId }, { overageCap: records });
      return records;
    });
  }

  /** Live ones first. Stripe's times are whole seconds, so the id makes the order stable. */
  private lastFirst(accountId: string) {
    return this.withBalances(accountId).orderBy(isLive, 'DESC').addOrderBy('s.createdAt', 'DESC').addOrderBy('s.id');
  }

  private withBalances(accountId: string) {
    return this.ofAccountQuery(accountId).leftJoin(CreditBalanceEntity, 'b', 'b.id = s.balanceId');
  }

  private ofAccountQuery(accountId: string) {
    return this.dataSource
      .getRepository(SubscriptionEntity)
      .createQueryBuilder('s')
      .where('s.accountId = :accountId', { accountId })
      .setParameters({ liveStatuses, endedStatuses });
  }
}

/** Stripe's preview does not include overage before it is on the invoice. */
function nextBillOf({ hasEnded, endsAt, periodEnd, unbilled }: Row): NextBill | null {
  const overage = unbilled.reduce((sum, line) => sum + centsOf(line), 0n);
  if (hasEnded && overage === 0n) return null;
  const plan = endsAt === null ? BigInt(plans.paid.priceCents) : 0n;
  return {
    at: endsAt ?? periodEnd,
    planUsd: usd(plan),
    overageUsd: usd(overage),
    overage: unbilled.map((line) => ({
      periodStart: new Date(line.periodStart),
      periodEnd: new Date(line.periodEnd),
      records: line.records,
      unitUsd: usd(BigInt(line.unitCents)),
      amountUsd: usd(centsOf(line)),
    })),
    totalUsd: usd(plan + overage),
  };
}

const centsOf = ({ records, unitCents }: Unbilled): bigint => BigInt(records) * BigInt(unitCents);
