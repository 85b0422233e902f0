import { Args, Authorized, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { Account } from '../../accounts/identity/account.js';
import { AccountPage, AccountSearchArgs, AccountUse } from './account-use.js';
import type { AccountUseStore } from './account-use.store.js';

@Resolver(() => Account)
export class AccountUseResolver {
  constructor(private readonly store: AccountUseStore) {}

  @Authorized('admin')
  @Query(() => AccountPage)
  accounts(@Args() args: AccountSearchArgs): Promise<AccountPage> {
    return this.store.find(args);
  }

  @Authorized('admin')
  @FieldResolver(() => AccountUse, { nullable: true, description: 'What the account uses in its present period; null without a plan.' })
  use(@Root() { id }: Account): Promise<AccountUse | null> {
    return this.store.of(id);
  }
}
