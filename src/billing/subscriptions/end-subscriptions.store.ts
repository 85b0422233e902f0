import { type EntityManager, In, Not } from 'typeorm';
import { endSubscriptions } from '../../jobs/account-events.js';
import { SubscriptionEntity } from './subscription.entity.js';
import { endedStatuses } from './subscription-status.js';

/** @param stripeCustomerId limits them to this customer */
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
 * Ends what was started for an account that was closed or banned in the meantime; older subscriptions have been ended already.
 * @returns whether it was closed
 */
export async function endIfClosed(manager: EntityManager, accountId: string, delaySeconds: number): Promise<boolean> {
  const mustEnd = await isClosed(manager, accountId);
  if (mustEnd) await endSubscriptions(manager, accountId, delaySeconds);
  return mustEnd;
}
