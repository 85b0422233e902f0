import type { DataSource } from 'typeorm';
import { AppError } from '../../core/errors.js';
import { CreditBalanceEntity } from '../../ledger/credit-balance.entity.js';
import { type InCents, inUsd, usd } from '../../ledger/money.js';
import { balanceRejection } from '../../tokens/token.store.js';
import { SubscriptionEntity } from './subscription.entity.js';
import type { Subscription } from './subscription.js';
import { endedStatuses, liveStatuses } from './subscription-reading.js';

const hasEnded = 's.status in (:...endedStatuses)';

// From its first paid invoice to its end, and no further beyond the last paid period than tokens work.
const isLive = `(b.id is not null and ${balanceRejection} is distinct from 'expired')`;

type Row = Omit<InCents<Subscription>, 'overageCapUsd' | 'openOverageUsd'> & { overageCapCents: string | null; openOverageCents: string };

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
  overageCap: 's.keptCap',
  overageCapCents: `cast(cast(s.keptCap as bigint) * coalesce(b.overageUnitCents, 0) as text)`,
  overageStoppedBy: 'case when s.isOverageStopped then s.unpaidBill end',
  openOverageCents: `(
    select cast(coalesce(sum(d.records::bigint * d.unit_cents), 0) as text) from overage_due(s.stripeCustomerId) d)`,
  stripeCustomerId: 's.stripeCustomerId',
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
    const { overageCapCents, openOverageCents, ...subscription } = row;
    return {
      ...inUsd<Omit<Subscription, 'overageCapUsd' | 'openOverageUsd'>>(subscription),
      overageCapUsd: overageCapCents && usd(BigInt(overageCapCents)),
      openOverageUsd: usd(BigInt(openOverageCents)),
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
      await manager.update(SubscriptionEntity, { balanceId }, { keptCap: records });
      if (!isOverageStopped) await manager.update(CreditBalanceEntity, { id: balanceId }, { overageCap: records });
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
