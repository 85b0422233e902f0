import { Args, Authorized, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { EntityManager } from 'typeorm';
import { AccountScopeArgs, type AccountsByEmail, scopeOf } from '../core/account-scope.args.js';
import { type Caller, type Context, requireOperator, requireUser } from '../core/context.js';
import { AppError } from '../core/errors.js';
import { readReason } from '../core/reason.js';
import { plans } from '../ledger/plans.js';
import { Usage } from '../usage/usage.js';
import { CapTokenArgs, RenameTokenArgs, RevokeTokenArgs, TokenNameArgs, TokenPageArgs } from './token.args.js';
import { ApiToken, IssuedToken, TrialPlan } from './token.js';
import { type TokenFilter, type TokenStore, trialActive } from './token.store.js';

/** Limits what trials give to a person and to a network. Provided by `accounts`. */
interface TrialLimits {
  /**
   * Counts a trial in the transaction that has issued it.
   * @throws AppError too_many_requests
   */
  consume(manager: EntityManager, accountId: string, caller: Caller, tokenId: string): Promise<void>;
}

@Resolver(() => ApiToken)
export class TokenResolver {
  constructor(
    private readonly store: TokenStore,
    private readonly rules: { requireVerifiedEmail: boolean },
    private readonly trialLimits: TrialLimits,
    private readonly accountsByEmail: AccountsByEmail,
    private readonly requireOpenSession: (manager: EntityManager, context: Context) => Promise<void>,
  ) {}

  @Query(() => TrialPlan)
  trialPlan(): TrialPlan {
    return plans.trial;
  }

  @Authorized('user')
  @Query(() => [ApiToken], { description: "The account's tokens, newest first." })
  async tokens(@Ctx() context: Context, @Args() args: TokenPageArgs): Promise<ApiToken[]> {
    return this.store.list(await this.filterOf(context, args), args.limit, args.offset);
  }

  @Authorized('user')
  @Query(() => Int, { description: 'The number of tokens that `tokens` has on all pages.' })
  async tokenCount(@Ctx() context: Context, @Args() args: AccountScopeArgs): Promise<number> {
    return this.store.count(await this.filterOf(context, args));
  }

  @Authorized('user')
  @Mutation(() => IssuedToken, {
    description: `Issues the ${plans.trial.lifetimeDays}-day, ${plans.trial.records}-credit trial token. An account may have one active trial.`,
  })
  async issueTrialToken(@Ctx() context: Context, @Args() { name }: TokenNameArgs): Promise<IssuedToken> {
    const user = requireUser(context);
    const admit = async (manager: EntityManager) => {
      await this.requireOpenSession(manager, context);
      if (this.rules.requireVerifiedEmail && !user.emailVerified) {
        throw new AppError(
          'email_unverified',
          'Verify your email address first: open the link in the email we sent you, or request a new one.',
        );
      }
    };
    const count = (manager: EntityManager, tokenId: string) => this.trialLimits.consume(manager, user.id, context.caller(), tokenId);
    return this.store.issueTrial(user.id, name ?? 'Trial', undefined, admit, count).catch(async (error) => {
      // `trial_active` takes precedence over every other refusal.
      const isOther = error instanceof AppError && error.code !== 'trial_active';
      throw isOther && (await this.store.hasActiveTrial(user.id)) ? trialActive() : error;
    });
  }

  @Authorized('user')
  @Mutation(() => ApiToken, { description: 'Revokes a token of the account, effective from its next request.' })
  revokeToken(@Ctx() context: Context, @Args() { id, reason }: RevokeTokenArgs): Promise<ApiToken> {
    return reason == null
      ? this.store.revoke(requireUser(context).id, id)
      : this.store.revokeForOperator(requireOperator(context).id, id, readReason(reason));
  }

  @Authorized('user')
  @Mutation(() => ApiToken)
  renameToken(@Ctx() context: Context, @Args() { id, name }: RenameTokenArgs): Promise<ApiToken> {
    return this.store.rename(requireUser(context).id, id, name);
  }

  @Authorized('user')
  @Mutation(() => ApiToken, { description: 'Caps the records that a paid token is charged in each period, from the next read on.' })
  capToken(@Ctx() context: Context, @Args() { id, periodCap }: CapTokenArgs): Promise<ApiToken> {
    return this.store.cap(requireUser(context).id, id, periodCap ?? null);
  }

  private async filterOf(context: Context, args: AccountScopeArgs): Promise<TokenFilter> {
    const text = args.search || null;
    return { accountId: scopeOf(context, args), text, owners: text === null ? [] : await this.accountsByEmail(text) };
  }
}

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
