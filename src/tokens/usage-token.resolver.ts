import { FieldResolver, Resolver, Root } from 'type-graphql';
import { Usage } from '../usage/usage.js';
import { ApiToken } from './token.js';
import type { TokenStore } from './token.store.js';

/** Tells of a token's usage which token it is. */
@Resolver(() => Usage)
export class UsageTokenResolver {
  constructor(private readonly store: TokenStore) {}

  @FieldResolver(() => ApiToken)
  token(@Root() { identity }: Usage): Promise<ApiToken> {
    return this.store.byId(identity.accountId, identity.tokenId);
  }
}
