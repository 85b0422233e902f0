import { Arg, Args, ArgsType, Authorized, Ctx, Field, ID, Query, Resolver } from 'type-graphql';
import { validate as isUuid } from 'uuid';
import { type Context, requireUser } from '../context.js';
import { PageArgs } from '../page.args.js';
import { type AccountsByEmail, accountAsked } from '../whose.args.js';
import { AccountBalance } from './account-balance.js';
import { AccountLedgerEntry, LedgerPage } from './account-ledger.js';
import type { BalanceStore } from './balance.store.js';
import { LedgerArgs } from './ledger.args.js';
import type { LedgerStore } from './ledger.store.js';
import { Plan, planList } from './plan.js';

@ArgsType()
class BalancesArgs extends PageArgs {
  @Field(() => ID, { nullable: true, description: "For operators: this account's instead of one's own." })
  accountId?: string | null;
}

/** What a person sees of their own account's use. */
@Resolver()
export class AccountUsageResolver {
  constructor(
    private readonly accountBalances: BalanceStore,
    private readonly entries: LedgerStore,
    private readonly accountsByEmail: AccountsByEmail,
  ) {}

  @Query(() => [Plan])
  plans(): Plan[] {
    return planList;
  }

  @Authorized('user')
  @Query(() => [AccountBalance], { description: "The account's balances, living ones first." })
  balances(@Ctx() context: Context, @Args() { accountId, limit, offset }: BalancesArgs): Promise<AccountBalance[]> {
    return this.accountBalances.ofAccount(accountAsked(context, { accountId })!, limit, offset);
  }

  @Authorized('user')
  @Query(() => LedgerPage, { description: "The account's ledger, newest first." })
  async ledger(@Ctx() context: Context, @Args() args: LedgerArgs): Promise<LedgerPage> {
    const { tokenId = null, kind = null, countyFips = null, from = null, to = null, limit, offset } = args;
    const text = args.search || null;
    const id = isUuid(text) ? text : null;
    const owners = text === null || id !== null ? null : await this.accountsByEmail(text);
    const accountId = accountAsked(context, args);
    return this.entries.page({ accountId, tokenId, kind, countyFips, from, to, id, owners }, limit, offset);
  }

  @Authorized('user')
  @Query(() => AccountLedgerEntry, { nullable: true, description: 'One entry of the account; null: it has none of this id.' })
  ledgerEntry(@Ctx() context: Context, @Arg('id', () => ID) id: string): Promise<AccountLedgerEntry | null> {
    return this.entries.byId(requireUser(context).id, id);
  }
}
