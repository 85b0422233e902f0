import { Arg, Args, ArgsType, Authorized, Ctx, Field, ID, Mutation, Query, Resolver } from 'type-graphql';
import { type Context, requireUser } from '../../core/context.js';
import { AppError } from '../../core/errors.js';
import { readReason } from '../../core/reason.js';
import { Account, Role, SessionUser } from '../account.js';
import type { SessionStore } from '../sessions/session.store.js';
import type { AccountStore, AdminReason } from './account.store.js';

/** Every change by an operator has a reason, which is stored in the activity log. */
@ArgsType()
class AccountChangeArgs {
  @Field(() => ID)
  id: string;

  @Field()
  reason: string;
}

@ArgsType()
class RoleChangeArgs extends AccountChangeArgs {
  @Field(() => Role)
  role: Role;
}

@Resolver()
export class AccountsResolver {
  constructor(
    private readonly accounts: AccountStore,
    private readonly sessions: SessionStore,
  ) {}

  @Query(() => SessionUser, { nullable: true, description: 'The signed-in person; null without a session.' })
  me(@Ctx() { principal }: Context): SessionUser | null {
    return principal.kind === 'user' ? (principal.user as SessionUser) : null;
  }

  @Authorized('admin')
  @Query(() => Account, { nullable: true })
  account(@Arg('id', () => ID) id: string): Promise<Account | null> {
    return this.accounts.byId(id);
  }

  @Authorized('admin')
  @Mutation(() => Account, { description: 'Ends all sessions of the account and revokes all its tokens, effective immediately.' })
  banAccount(@Args() { id, reason }: AccountChangeArgs, @Ctx() context: Context): Promise<Account> {
    return this.accounts.ban(id, reasonOf(id, reason, context));
  }

  @Authorized('admin')
  @Mutation(() => Account, { description: 'Lets the account sign in again. Its revoked tokens stay revoked.' })
  unbanAccount(@Args() { id, reason }: AccountChangeArgs, @Ctx() context: Context): Promise<Account> {
    return this.accounts.unban(id, reasonOf(id, reason, context));
  }

  @Authorized('admin')
  @Mutation(() => Account, { description: 'Ends all sessions of the account, so that the person must sign in again.' })
  endSessions(@Args() { id, reason }: AccountChangeArgs, @Ctx() context: Context): Promise<Account> {
    return this.accounts.endSessions(id, reasonOf(id, reason, context));
  }

  @Authorized('admin')
  @Mutation(() => Account, { description: 'Lets the account take any number of trials, one at a time.' })
  liftTrialLimit(@Args() { id, reason }: AccountChangeArgs, @Ctx() context: Context): Promise<Account> {
    return this.accounts.setTrialLimitLifted(id, true, reasonOf(id, reason, context));
  }

  @Authorized('admin')
  @Mutation(() => Account, { description: 'Applies the trial limits to the account again.' })
  restoreTrialLimit(@Args() { id, reason }: AccountChangeArgs, @Ctx() context: Context): Promise<Account> {
    return this.accounts.setTrialLimitLifted(id, false, reasonOf(id, reason, context));
  }

  @Authorized('admin')
  @Mutation(() => Account, { description: 'Makes the account an operator or a customer, effective from its next request.' })
  setRole(@Args() { id, role, reason }: RoleChangeArgs, @Ctx() context: Context): Promise<Account> {
    return this.accounts.setRole(id, role, reasonOf(id, reason, context));
  }

  /** @throws AppError forbidden if the sign-in is older than 5 minutes */
  @Authorized('admin')
  @Mutation(() => Account, {
    description:
      'Deletes the account for good, as its owner can: personal data goes, sessions, tokens and the paid plan end, the ledger is kept. Requires a recent sign-in.',
  })
  async deleteAccount(@Args() { id, reason }: AccountChangeArgs, @Ctx() context: Context): Promise<Account> {
    const why = reasonOf(id, reason, context);
    await this.sessions.requireRecentSignIn(context, 'delete an account');
    return this.accounts.delete(id, why);
  }
}

/** Operators cannot ban or delete themselves or change their own role: the last one could lock all operators out. The command line still can. */
function reasonOf(id: string, reason: string, context: Context): AdminReason {
  const { id: actor } = requireUser(context);
  if (actor === id) throw new AppError('conflict', 'This is your own account.');
  return { actor, reason: readReason(reason) };
}
