import { type DataSource, type EntityManager, In, Not } from 'typeorm';
import { endSubscriptions } from '../jobs/account-events.js';
import { OverageReportEntity } from '../usage/overage-report.entity.js';
import { MeterEventEntity } from './meter-event.entity.js';
import { SubscriptionEntity } from './subscription.entity.js';
import { endedStatuses } from './subscription-status.js';

/** @param stripeCustomerId of this customer only */
export async function unendedSubscriptions(manager: EntityManager, accountId: string, stripeCustomerId?: string): Promise<string[]> {
  const status = Not(In(endedStatuses));
  const subscriptions = await manager.findBy(SubscriptionEntity, { accountId, status, ...(stripeCustomerId && { stripeCustomerId }) });
  return subscriptions.map(({ id }) => id);
}

/** Whether the account was closed or banned, and the ban not lifted since. */
export async function isClosed(manager: EntityManager, accountId: string): Promise<boolean> {
  const [account] = await manager.query<[{ isClosed: boolean }]>('select auth.is_account_closed($1) as "isClosed"', [accountId]);
  return account.isClosed;
}

/**
 * Has what began for an account ended if the account was closed or banned meanwhile: what was there before is ended already.
 * @returns whether it was
 */
export async function endIfClosed(manager: EntityManager, accountId: string, delaySeconds: number): Promise<boolean> {
  const mustEnd = await isClosed(manager, accountId);
  if (mustEnd) await endSubscriptions(manager, accountId, delaySeconds);
  return mustEnd;
}

/** Whether overage is not reported yet, or was reported so recently that Stripe, which needs some minutes, may not have counted it. */
export function hasUnbilledOverage(dataSource: DataSource, accountId: string): Promise<boolean> {
  return dataSource
    .createQueryBuilder(OverageReportEntity, 'r')
    .innerJoin(SubscriptionEntity, 's', 's.balanceId = r.balanceId')
    .where('s.accountId = :accountId and s.status not in (:...endedStatuses)', { accountId, endedStatuses })
    .leftJoin(MeterEventEntity, 'm', 'm.identifier = r.meterEvent')
    .andWhere(`(r.meterEvent is null or m.state = 'waiting' or m.sentAt > service_now() - interval '10 minutes')`)
    .getExists();
}
