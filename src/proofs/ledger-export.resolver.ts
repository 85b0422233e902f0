import { Max, Min } from 'class-validator';
import { Args, ArgsType, Authorized, Ctx, Field, ID, Int, Query, Resolver } from 'type-graphql';
import { scopeOf } from '../core/account-scope.args.js';
import type { Context } from '../core/context.js';
import { LedgerExport, type LedgerExportStore } from './ledger-export.store.js';

@ArgsType()
export class LedgerExportArgs {
  @Field(() => ID)
  balanceId: string;

  @Field(() => Int, { defaultValue: 0, description: 'Only entries after this sequence, which the page before ended with.' })
  @Min(0, { message: 'must be 0 or more' })
  after: number;

  @Field(() => Int, { defaultValue: 5000 })
  @Min(1, { message: 'must be 1 or more' })
  @Max(5000, { message: 'must be 5000 or less' })
  limit: number;

  @Field(() => Boolean, { nullable: true, description: "For operators: anybody's balance instead of one's own." })
  everybody?: boolean | null;
}

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
