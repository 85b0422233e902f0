import { Arg, Args, Authorized, Ctx, ID, Query, Resolver } from 'type-graphql';
import { type Context, requireUser } from '../context.js';
import { PageArgs } from '../page.args.js';
import { AccountBalance } from './account-balance.js';
import { AccountLedgerEntry, LedgerPage } from './account-ledger.js';
import type { BalanceStore } from './balance.store.js';
import { LedgerArgs } from './ledger.args.js';
import type { LedgerStore } from './ledger.store.js';
import { Plan, planList } from './plan.js';

/** What a person sees of their own account's use. */
@Resolver()
export class AccountUsageResolver {
  constructor(
    private readonly accountBalances: BalanceStore,
    private readonly entries: LedgerStore,
  ) {}

  @Query(() => [Plan])
  plans(): Plan[] {
    return planList;
  }

  @Authorized('user')
  @Query(() => [AccountBalance], { description: "The account's balances, living ones first." })
  balances(@Ctx() context: Context, @Args() { limit, offset }: PageArgs): Promise<AccountBalance[]> {
    return this.accountBalances.ofAccount(requireUser(context).id, limit, offset);
  }

  @Authorized('user')
  @Query(() => LedgerPage, { description: "The account's ledger, newest first." })
  ledger(@Ctx() context: Context, @Args() args: LedgerArgs): Promise<LedgerPage> {
    return this.entries.page(requireUser(context).id, args);
  }

  @Authorized('user')
  @Query(() => AccountLedgerEntry, { nullable: true, description: 'One entry of the account; null: it has none of this id.' })
  ledgerEntry(@Ctx() context: Context, @Arg('id', () => ID) id: string): Promise<AccountLedgerEntry | null> {
    return this.entries.byId(requireUser(context).id, id);
  }
}
