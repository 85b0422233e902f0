import { Arg, Args, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { type Context, requireUser } from '../context.js';
import { AppError } from '../errors.js';
import { RenameTokenArgs, TokenNameArgs, TokenPageArgs } from './token.args.js';
import { ApiToken, IssuedToken } from './token.js';
import type { TokenStore } from './token.store.js';

@Resolver(() => ApiToken)
export class TokenResolver {
  constructor(
    private readonly store: TokenStore,
    private readonly rules: { requireVerifiedEmail: boolean },
  ) {}

  @Authorized('user')
  @Query(() => [ApiToken], { description: "The account's tokens, newest first." })
  tokens(@Ctx() context: Context, @Args() { limit, offset }: TokenPageArgs): Promise<ApiToken[]> {
    return this.store.list(requireUser(context).id, limit, offset);
  }

  @Authorized('user')
  @Mutation(() => IssuedToken, { description: 'Issues the 30-day, 50-credit trial token; one may be active at a time.' })
  issueTrialToken(@Ctx() context: Context, @Args() { name }: TokenNameArgs): Promise<IssuedToken> {
    const user = requireUser(context);
    if (this.rules.requireVerifiedEmail && !user.emailVerified) {
      throw new AppError(
        'email_unverified',
        'Verify your e-mail address first: open the link in the mail we sent you, or ask for a new one.',
      );
    }
    return this.store.issueTrial(user.id, name ?? 'Trial');
  }

  @Authorized('user')
  @Mutation(() => ApiToken, { description: 'Revokes a token of the account; it is refused from the next request on.' })
  revokeToken(@Ctx() context: Context, @Arg('id', () => ID) id: string): Promise<ApiToken> {
    return this.store.revoke(requireUser(context).id, id);
  }

  @Authorized('user')
  @Mutation(() => ApiToken)
  renameToken(@Ctx() context: Context, @Args() { id, name }: RenameTokenArgs): Promise<ApiToken> {
    return this.store.rename(requireUser(context).id, id, name);
  }
}
