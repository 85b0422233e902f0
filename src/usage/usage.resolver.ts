import { Args, Authorized, Ctx, Query, Resolver } from 'type-graphql';
import type { Context } from '../core/context.js';
import type { TokenLookup } from '../ledger/token-lookup.js';
import { Usage, UsageArgs } from './usage.js';
import type { UsageStore } from './usage.store.js';

@Resolver()
export class UsageResolver {
  constructor(
    private readonly tokens: TokenLookup,
    private readonly store: UsageStore,
  ) {}

  @Authorized('reader')
  @Query(() => Usage, {
    description: 'The balance and recent ledger entries of the calling token, or of the token that a session names. Free of charge.',
  })
  async usage(@Ctx() context: Context, @Args() { tokenId, cursor = null }: UsageArgs): Promise<Usage> {
    return this.store.ofToken(await this.tokens.ofCaller(context, tokenId), cursor);
  }

  @Authorized('token')
  @Query(() => Boolean, { description: 'True if the calling token may read records now; otherwise an error says why not.' })
  async tokenUsable(@Ctx() context: Context): Promise<boolean> {
    await this.store.requireUsableToken(await this.tokens.ofCaller(context));
    return true;
  }
}
