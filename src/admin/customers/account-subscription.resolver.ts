import { Arg, Authorized, Extensions, ID, Query, Resolver } from 'type-graphql';
import { AccountSubscription } from './account-subscription.js';
import type { AccountSubscriptionStore } from './account-subscription.store.js';

@Resolver()
export class AccountSubscriptionResolver {
  constructor(private readonly store: AccountSubscriptionStore) {}

  @Authorized('admin')
  @Extensions({ rows: 20 })
  @Query(() => [AccountSubscription], { description: "An account's subscriptions to the paid plan, newest first." })
  accountSubscriptions(@Arg('accountId', () => ID) accountId: string): Promise<AccountSubscription[]> {
    return this.store.ofAccount(accountId);
  }
}
