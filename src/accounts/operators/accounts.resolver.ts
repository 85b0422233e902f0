import { Arg, Args, ArgsType, Authorized, Ctx, Field, ID, Mutation, Query, Resolver } from 'type-graphql';
import { type Context, requireUser } from '../../core/context.js';
import { AppError } from '../../core/errors.js';
import { readReason } from '../../core/reason.js';
import { Account, AccountChange, SessionUser } from '../account.js';
import type { SessionStore } from '../sessions/session.store.js';
import type { AccountStore } from './account.store.js';

@ArgsType()
class AccountChangeArgs {
  @Field(() => ID)
  id: string;

  @Field(() => AccountChange)
  change: AccountChange;

  @Field({ description: 'Kept in the activity log.' })
  reason: string;
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

  /**
   * Operators cannot ban or delete themselves or change their own role: the last one could lock all operators out. The command line still can.
   * @throws AppError conflict for their own account; forbidden for a deletion if the sign-in is older than 5 minutes
   */
  @Authorized('admin')
  @Mutation(() => Account, { description: 'Changes an account, effective immediately. A deletion requires a recent sign-in.' })
  async changeAccount(@Args() { id, change, reason }: AccountChangeArgs, @Ctx() context: Context): Promise<Account> {
    const { id: actor } = requireUser(context);
    if (actor === id) throw new AppError('conflict', 'This is your own account.');
    const why = { actor, reason: readReason(reason) };
    if (change === AccountChange.delete) await this.sessions.requireRecentSignIn(context, 'delete an account');
    return this.accounts.change(id, change, why);
  }
}
