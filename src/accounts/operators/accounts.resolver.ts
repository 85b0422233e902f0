import { Arg, Args, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { type Context, requireUser } from '../../core/context.js';
import { AppError } from '../../core/errors.js';
import { readReason } from '../../core/reason.js';
import { SessionUser } from '../identity/session-user.js';
import { Account, AccountPage } from './account.js';
import type { AccountStore, AdminReason } from './account.store.js';
import { AccountChangeArgs, AccountSearchArgs, RoleChangeArgs } from './admin.args.js';

@Resolver()
export class AccountsResolver {
  constructor(private readonly accounts: AccountStore) {}

  @Query(() => SessionUser, { nullable: true, description: 'Who is signed in; null: nobody.' })
  me(@Ctx() { principal }: Context): SessionUser | null {
    return principal.kind === 'user' ? (principal.user as SessionUser) : null;
  }

  @Authorized('admin')
  @Query(() => AccountPage, { name: 'accounts', description: 'Accounts, newest first.' })
  find(@Args() { search, limit, offset }: AccountSearchArgs): Promise<AccountPage> {
    return this.accounts.find(search, limit, offset);
  }

  @Authorized('admin')
  @Query(() => Account, { nullable: true })
  account(@Arg('id', () => ID) id: string): Promise<Account | null> {
    return this.accounts.byId(id);
  }

  @Authorized('admin')
  @Mutation(() => Account, { description: 'Ends all sessions and revokes all tokens of the account, at once.' })
  banAccount(@Args() { id, reason }: AccountChangeArgs, @Ctx() context: Context): Promise<Account> {
    return this.accounts.ban(id, reasonOf(id, reason, context));
  }

  @Authorized('admin')
  @Mutation(() => Account, { description: 'Lets the person sign in again. Revoked tokens stay revoked.' })
  unbanAccount(@Args() { id, reason }: AccountChangeArgs, @Ctx() context: Context): Promise<Account> {
    return this.accounts.unban(id, reasonOf(id, reason, context));
  }

  @Authorized('admin')
  @Mutation(() => Account, { description: 'Ends all sessions of the account: the person has to sign in again.' })
  endSessions(@Args() { id, reason }: AccountChangeArgs, @Ctx() context: Context): Promise<Account> {
    return this.accounts.endSessions(id, reasonOf(id, reason, context));
  }

  @Authorized('admin')
  @Mutation(() => Account, { description: 'Makes the person an operator, or no longer one. Holds for their next request.' })
  setRole(@Args() { id, role, reason }: RoleChangeArgs, @Ctx() context: Context): Promise<Account> {
    return this.accounts.setRole(id, role, reasonOf(id, reason, context));
  }
}

/** Operators cannot ban themselves or change their own role, or the last one could lock everybody out. The command line still can. */
function reasonOf(id: string, reason: string, context: Context): AdminReason {
  const { id: actor } = requireUser(context);
  if (actor === id) throw new AppError('conflict', 'This is your own account.');
  return { actor, reason: readReason(reason) };
}
