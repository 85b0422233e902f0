import { FieldResolver, Resolver, Root } from 'type-graphql';
import { Usage } from '../usage/usage.js';
import { ApiToken } from './token.js';
import type { TokenStore } from './token.store.js';

/** Adds the token to a token's usage. */
@Resolver(() => Usage)
export class UsageTokenResolver {
  constructor(private readonly store: TokenStore) {}

  @FieldResolver(() => ApiToken)
  async token(@Root() { identity, balance }: Usage): Promise<ApiToken> {
    const token = await this.store.byId(identity.accountId, identity.tokenId);
    // The same number as in the balance beside it: there may have been reads in between.
    return { ...token, creditsRemaining: balance.creditsRemaining };
  }
}
