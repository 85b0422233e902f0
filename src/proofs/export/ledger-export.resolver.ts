import { Args, Authorized, Ctx, Query, Resolver } from 'type-graphql';
import { scopeOf } from '../../core/account-scope.args.js';
import type { Context } from '../../core/context.js';
import { LedgerExport, LedgerExportArgs } from './ledger-export.js';
import type { LedgerExportStore } from './ledger-export.store.js';

@Resolver()
export class LedgerExportResolver {
  constructor(private readonly store: LedgerExportStore) {}

  @Authorized('user')
  @Query(() => LedgerExport, {
    nullable: true,
    description: 'The ledger of a balance, to be checked without us; null: the account has none.',
  })
  ledgerExport(@Ctx() context: Context, @Args() { balanceId, after, limit, everybody }: LedgerExportArgs): Promise<LedgerExport | null> {
    return this.store.page(scopeOf(context, { everybody }), balanceId, after, limit);
  }
}
