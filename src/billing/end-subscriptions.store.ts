import { type DataSource, In, Not } from 'typeorm';
import { OverageReportEntity } from '../usage/overage-report.entity.js';
import { SubscriptionEntity } from './subscription.entity.js';
import { endedStatuses } from './subscription-status.js';

export async function unendedSubscriptions(dataSource: DataSource, accountId: string): Promise<string[]> {
  const subscriptions = await dataSource.getRepository(SubscriptionEntity).findBy({ accountId, status: Not(In(endedStatuses)) });
  return subscriptions.map(({ id }) => id);
}

/** Whether overage is not reported yet, or was reported so recently that Stripe, which needs some minutes, may not have counted it. */
export function hasUnbilledOverage(dataSource: DataSource, accountId: string): Promise<boolean> {
  return dataSource
    .createQueryBuilder(OverageReportEntity, 'r')
    .innerJoin(SubscriptionEntity, 's', 's.balanceId = r.balanceId')
    .where('s.accountId = :accountId and s.status not in (:...endedStatuses)', { accountId, endedStatuses })
    .andWhere(`(r.state = 'waiting' or r.sentAt > service_now() - interval '10 minutes')`)
    .getExists();
}
