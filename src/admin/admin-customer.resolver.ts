import { Arg, Args, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { type Context, requireUser } from '../context.js';
import { PageArgs } from '../page.args.js';
import { AccountBalance } from '../usage/account-balance.js';
import type { BalanceStore } from '../usage/balance.store.js';
import { AdjustBalanceArgs, AllLedgerArgs, AllTokensArgs, RevokeAnyTokenArgs } from './admin-customer.args.js';
import { AdminLedgerEntry, AdminLedgerPage, AdminToken, AdminTokenPage } from './admin-customer.js';
import type { AdminCustomerService } from './admin-customer.service.js';

/** Helping customers: their tokens, balances and entries. */
@Resolver()
export class AdminCustomerResolver {
  constructor(
    private readonly service: AdminCustomerService,
    private readonly balances: BalanceStore,
  ) {}

  @Authorized('admin')
  @Query(() => AdminTokenPage, { description: 'Tokens of all accounts; search is part of a name, id or e-mail address.' })
  allTokens(@Args() args: AllTokensArgs): Promise<AdminTokenPage> {
    return this.service.tokens(args);
  }

  @Authorized('admin')
  @Query(() => AdminLedgerPage, {
    description: "Everybody's ledger; search is an entry's or a request's id, or part of an e-mail address.",
  })
  allLedger(@Args() args: AllLedgerArgs): Promise<AdminLedgerPage> {
    return this.service.ledger(args);
  }

  @Authorized('admin')
  @Query(() => [AccountBalance], { description: "An account's balances, living ones first." })
  accountBalances(@Arg('accountId', () => ID) accountId: string, @Args() { limit, offset }: PageArgs): Promise<AccountBalance[]> {
    return this.balances.ofAccount(accountId, limit, offset);
  }

  @Authorized('admin')
  @Mutation(() => AdminToken, { description: 'Revokes a token; it is refused from the next request on.' })
  revokeAnyToken(@Args() args: RevokeAnyTokenArgs, @Ctx() context: Context): Promise<AdminToken> {
    return this.service.revokeToken(requireUser(context).id, args);
  }

  @Authorized('admin')
  @Mutation(() => AdminLedgerEntry, { description: 'Adds credits to a balance or takes some away, by an entry with its reason.' })
  adjustBalance(@Args() args: AdjustBalanceArgs, @Ctx() context: Context): Promise<AdminLedgerEntry> {
    return this.service.adjustBalance(requireUser(context).id, args);
  }
}
