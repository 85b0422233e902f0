import { Arg, Authorized, Extensions, ID, Query, Resolver } from 'type-graphql';
import { AccountCharge } from './account-charge.js';
import type { AccountChargeStore } from './account-charge.store.js';

@Resolver()
export class AccountChargeResolver {
  constructor(private readonly store: AccountChargeStore) {}

  @Authorized('admin')
  @Extensions({ rows: 20 })
  @Query(() => [AccountCharge], { description: "An account's payments that were refunded or disputed, newest first." })
  accountCharges(@Arg('accountId', () => ID) accountId: string): Promise<AccountCharge[]> {
    return this.store.ofAccount(accountId);
  }
}
