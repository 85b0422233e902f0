import { Args, Authorized, Ctx, Int, Mutation, Query, Resolver } from 'type-graphql';
import type { EntityManager } from 'typeorm';
import { type AccountsByEmail, accountAsked, WhoseArgs } from '../core/account-scope.args.js';
import { type Context, requireOperator, requireUser } from '../core/context.js';
import { AppError } from '../core/errors.js';
import { readReason } from '../core/reason.js';
import type { RevokeAnyToken } from './revoke-any-token.js';
import { RenameTokenArgs, RevokeTokenArgs, TokenNameArgs, TokenPageArgs } from './token.args.js';
import { ApiToken, IssuedToken } from './token.js';
import { type TokenFilter, type TokenStore, trialActive } from './token.store.js';

/** How many trials there may be of an account and at an address, which the room of accounts counts. */
interface TrialLimits {
  /**
   * Counts one in a transaction.
   * @throws AppError too_many_requests
   */
  consume(manager: EntityManager, accountId: string, address: string): Promise<void>;
}

@Resolver(() => ApiToken)
export class TokenResolver {
  constructor(
    private readonly store: TokenStore,
    private readonly rules: { requireVerifiedEmail: boolean },
    private readonly trialLimits: TrialLimits,
    private readonly revokeAny: RevokeAnyToken,
    private readonly accountsByEmail: AccountsByEmail,
  ) {}

  @Authorized('user')
  @Query(() => [ApiToken], { description: "The account's tokens, newest first." })
  async tokens(@Ctx() context: Context, @Args() args: TokenPageArgs): Promise<ApiToken[]> {
    return this.store.list(await this.filterOf(context, args), args.limit, args.offset);
  }

  @Authorized('user')
  @Query(() => Int, { description: 'How many tokens `tokens` has in all.' })
  async tokenCount(@Ctx() context: Context, @Args() args: WhoseArgs): Promise<number> {
    return this.store.count(await this.filterOf(context, args));
  }

  @Authorized('user')
  @Mutation(() => IssuedToken, { description: 'Issues the 30-day, 50-credit trial token; one may be active at a time.' })
  async issueTrialToken(@Ctx() context: Context, @Args() { name }: TokenNameArgs): Promise<IssuedToken> {
    const user = requireUser(context);
    const address = context.callerAddress();
    const admit = async (manager: EntityManager) => {
      if (this.rules.requireVerifiedEmail && !user.emailVerified) {
        throw new AppError(
          'email_unverified',
          'Verify your e-mail address first: open the link in the mail we sent you, or ask for a new one.',
        );
      }
      await this.trialLimits.consume(manager, user.id, address);
    };
    return this.store.issueTrial(user.id, name ?? 'Trial', undefined, admit).catch(async (error) => {
      // That a trial is active is said before whatever else stands in the way of another.
      const isElse = error instanceof AppError && error.code !== 'trial_active';
      throw isElse && (await this.store.hasActiveTrial(user.id)) ? trialActive() : error;
    });
  }

  @Authorized('user')
  @Mutation(() => ApiToken, { description: 'Revokes a token of the account; it is refused from the next request on.' })
  revokeToken(@Ctx() context: Context, @Args() { id, reason }: RevokeTokenArgs): Promise<ApiToken> {
    return reason == null
      ? this.store.revoke(requireUser(context).id, id)
      : this.revokeAny.run(requireOperator(context).id, id, readReason(reason));
  }

  @Authorized('user')
  @Mutation(() => ApiToken)
  renameToken(@Ctx() context: Context, @Args() { id, name }: RenameTokenArgs): Promise<ApiToken> {
    return this.store.rename(requireUser(context).id, id, name);
  }

  private async filterOf(context: Context, args: WhoseArgs): Promise<TokenFilter> {
    const text = args.search || null;
    return { accountId: accountAsked(context, args), text, owners: text === null ? [] : await this.accountsByEmail(text) };
  }
}
