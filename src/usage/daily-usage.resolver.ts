import { Args, Authorized, Ctx, Extensions, Query, Resolver } from 'type-graphql';
import { type Context, requireUser } from '../core/context.js';
import { DailyUsage, DailyUsageArgs } from './daily-usage.js';
import type { DailyUsageStore } from './daily-usage.store.js';

@Resolver(() => DailyUsage)
export class DailyUsageResolver {
  constructor(private readonly store: DailyUsageStore) {}

  @Authorized('user')
  @Extensions({ rows: 1_000 })
  @Query(() => [DailyUsage], { description: "The account's reads by day." })
  dailyUsage(@Ctx() context: Context, @Args() args: DailyUsageArgs): Promise<DailyUsage[]> {
    return this.store.ofAccount(requireUser(context).id, args);
  }
}
