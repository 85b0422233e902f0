import { FieldResolver, Resolver, Root } from 'type-graphql';
import { Usage } from '../usage/usage.js';
import { ApiToken } from './token.js';
import type { TokenStore } from './token.store.js';

/** Tells of a token's usage which token it is. */
@Resolver(() => Usage)
export class UsageTokenResolver {
  constructor(private readonly store: TokenStore) {}

  @FieldResolver(() => ApiToken)
  async token(@Root() { identity, balance }: Usage): Promise<ApiToken> {
    const token = await this.store.byId(identity.accountId, identity.tokenId);
    // As the balance beside it says: others may have read meanwhile.
    return { ...token, creditsRemaining: balance.creditsRemaining };
  }
}
