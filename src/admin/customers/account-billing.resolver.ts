import { Arg, Authorized, Extensions, ID, Query, Resolver } from 'type-graphql';
import { AccountCharge, AccountSubscription } from './account-billing.js';
import type { AccountBillingStore } from './account-billing.store.js';

@Resolver()
export class AccountBillingResolver {
  constructor(private readonly store: AccountBillingStore) {}

  @Authorized('admin')
  @Extensions({ rows: 20 })
  @Query(() => [AccountCharge], { description: "An account's payments that were refunded or disputed, newest first." })
  accountCharges(@Arg('accountId', () => ID) accountId: string): Promise<AccountCharge[]> {
    return this.store.charges(accountId);
  }

  @Authorized('admin')
  @Extensions({ rows: 20 })
  @Query(() => [AccountSubscription], { description: "An account's subscriptions to the paid plan, newest first." })
  accountSubscriptions(@Arg('accountId', () => ID) accountId: string): Promise<AccountSubscription[]> {
    return this.store.subscriptions(accountId);
  }
}
