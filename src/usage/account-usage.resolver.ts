import type { Pool } from 'pg';
import { Arg, Args, ArgsType, Authorized, Ctx, Extensions, Field, FieldResolver, ID, Int, Query, Resolver, Root } from 'type-graphql';
import { type AccountsByEmail, scopeOf } from '../core/account-scope.args.js';
import { type Context, requireUser } from '../core/context.js';
import { PageArgs } from '../core/page.args.js';
import { invalidRequest } from '../core/parameters.js';
import { LedgerCsv, LedgerPage, LinkedLedgerEntry } from './account-ledger.js';
import { AccountBalance } from './balance.js';
import { balancesOf } from './balance.store.js';
import { DailyUsage, DailyUsageArgs } from './daily-usage.js';
import { dailyUsageOf } from './daily-usage.store.js';
import { LedgerArgs, LedgerCsvArgs, type LedgerFilterArgs } from './ledger.args.js';
import type { LedgerStore } from './ledger.store.js';
import { csvHead, csvOf } from './ledger-csv.js';
import type { LedgerFilter } from './ledger-search.js';

@ArgsType()
class BalancesArgs extends PageArgs {
  @Field(() => ID, { nullable: true, description: "For operators: this account instead of the caller's own." })
  accountId?: string | null;
}

// Of an entry or a request: the time comes first, so the first digit is 0 until 2527. Another or a shorter text may be a part of an address.
const beginningOfId = /^0[0-9a-f]{7}[0-9a-f-]{0,28}$/i;

// Each account is searched separately.
const maxOwners = 100;

/** An account's usage, for its owner and for operators. */
@Resolver(() => LedgerPage)
export class AccountUsageResolver {
  constructor(
    private readonly pool: Pool,
    private readonly reportPool: Pool,
    private readonly entries: LedgerStore,
    private readonly accountsByEmail: AccountsByEmail,
  ) {}

  @Authorized('user')
  @Query(() => [AccountBalance], { description: "The account's balances, active ones first." })
  balances(@Ctx() context: Context, @Args() { accountId, limit, offset }: BalancesArgs): Promise<AccountBalance[]> {
    return balancesOf(this.pool, scopeOf(context, { accountId })!, limit, offset);
  }

  @Authorized('user')
  @Extensions({ rows: 1_000 })
  @Query(() => [DailyUsage], { description: "The account's reads by day." })
  dailyUsage(@Ctx() context: Context, @Args() args: DailyUsageArgs): Promise<DailyUsage[]> {
    return dailyUsageOf(this.reportPool, requireUser(context).id, args);
  }

  @Authorized('user')
  @Query(() => LedgerPage, { description: "The account's ledger, newest first." })
  async ledger(@Ctx() context: Context, @Args() args: LedgerArgs): Promise<LedgerPage> {
    return this.entries.page(await this.filterOf(context, args), args.before ?? null, args.limit);
  }

  /** Counts only on request: counting examines more entries than a page. */
  @FieldResolver(() => Int, {
    nullable: true,
    description: 'The number of matching entries; null if more than 50,000 would have to be examined.',
  })
  total(@Root() { filter }: LedgerPage): Promise<number | null> {
    return this.entries.count(filter);
  }

  @Authorized('user')
  @Query(() => LedgerCsv, { description: 'The same entries as CSV, newest first. Entries written during an export do not appear in it.' })
  async ledgerCsv(@Ctx() context: Context, @Args() args: LedgerCsvArgs): Promise<LedgerCsv> {
    const { entries, older } = await this.entries.page(await this.filterOf(context, args), args.before ?? null, args.limit);
    return { text: (args.before ? '' : csvHead) + csvOf(entries), rows: entries.length, older };
  }

  @Authorized('user')
  @Query(() => LinkedLedgerEntry, { nullable: true, description: 'One ledger entry; null if the account has none with this id.' })
  ledgerEntry(
    @Ctx() context: Context,
    @Arg('id', () => ID) id: string,
    @Arg('everybody', () => Boolean, {
      nullable: true,
      description: "For operators: any account's entry instead of only the caller's own.",
    })
    everybody?: boolean | null,
  ): Promise<LinkedLedgerEntry | null> {
    return this.entries.byId(scopeOf(context, { everybody }), id);
  }

  private async filterOf(context: Context, args: LedgerFilterArgs): Promise<LedgerFilter> {
    const { tokenId = null, kind = null, countyFips = null, from = null, to = null } = args;
    const asked = scopeOf(context, args);
    const text = args.search?.trim() || null;
    const id = text !== null && beginningOfId.test(text) ? text.toLowerCase().replaceAll('-', '') : null;
    const filter = { accountIds: asked === null ? null : [asked], tokenId, kind, countyFips, from, to, id };
    if (text === null || id !== null) return filter;
    const owners = await this.accountsByEmail(text);
    // A caller for one account learns nothing about other accounts' addresses, not even their number.
    if (asked !== null) return { ...filter, accountIds: owners.includes(asked) ? [asked] : [] };
    if (owners.length > maxOwners) {
      throw invalidRequest([{ parameter: 'search', message: `is in the addresses of more than ${maxOwners} accounts: write more of one` }]);
    }
    return { ...filter, accountIds: owners };
  }
}
