import { Authorized, Ctx, Query, Resolver } from 'type-graphql';
import { type Context, requireToken } from '../context.js';
import { Usage } from './usage.js';
import type { UsageStore } from './usage.store.js';

const recentEntries = 100;

@Resolver()
export class UsageResolver {
  constructor(private readonly store: UsageStore) {}

  @Authorized('token')
  @Query(() => Usage, { description: 'Balance and recent ledger of the calling token. Costs no credits, as it returns no records.' })
  usage(@Ctx() context: Context): Promise<Usage> {
    return this.store.ofToken(requireToken(context), recentEntries);
  }

  @Authorized('token')
  @Query(() => Boolean, { description: 'True if the calling token may read records now; otherwise the error says why not.' })
  async tokenUsable(@Ctx() context: Context): Promise<boolean> {
    await this.store.requireUsableToken(requireToken(context));
    return true;
  }
}
