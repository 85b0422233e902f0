import { Arg, Args, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { type Context, callingUser } from '../context.js';
import { AccountBalance } from '../usage/account-balance.js';
import type { BalanceStore } from '../usage/balance.store.js';
import { AdjustBalanceArgs, AllLedgerArgs, AllTokensArgs, RevokeAnyTokenArgs } from './customer-desk.args.js';
import { AdminLedgerEntry, AdminLedgerPage, AdminToken, AdminTokenPage } from './customer-desk.js';
import type { CustomerDeskStore } from './customer-desk.store.js';

/** Helping customers: their tokens, balances and entries. */
@Resolver()
export class CustomerDeskResolver {
  constructor(
    private readonly desk: CustomerDeskStore,
    private readonly balances: BalanceStore,
  ) {}

  @Authorized('admin')
  @Query(() => AdminTokenPage, { description: 'Tokens of all accounts; search is part of a name, hint, id or e-mail address.' })
  allTokens(@Args() args: AllTokensArgs): Promise<AdminTokenPage> {
    return this.desk.tokens(args);
  }

  @Authorized('admin')
  @Query(() => AdminLedgerPage, {
    description: "Everybody's ledger; search is an entry's or a request's id, or part of an e-mail address.",
  })
  allLedger(@Args() args: AllLedgerArgs): Promise<AdminLedgerPage> {
    return this.desk.ledger(args);
  }

  @Authorized('admin')
  @Query(() => [AccountBalance], { description: "An account's balances, living ones first." })
  accountBalances(@Arg('accountId', () => ID) accountId: string): Promise<AccountBalance[]> {
    return this.balances.ofAccount(accountId);
  }

  @Authorized('admin')
  @Mutation(() => AdminToken, { description: 'Revokes a token; it is refused from the next request on.' })
  revokeAnyToken(@Args() args: RevokeAnyTokenArgs, @Ctx() context: Context): Promise<AdminToken> {
    return this.desk.revokeToken(callingUser(context).id, args);
  }

  @Authorized('admin')
  @Mutation(() => AdminLedgerEntry, { description: 'Adds credits to a balance or takes some away, by an entry with its reason.' })
  adjustBalance(@Args() args: AdjustBalanceArgs, @Ctx() context: Context): Promise<AdminLedgerEntry> {
    return this.desk.adjustBalance(callingUser(context).id, args);
  }
}
