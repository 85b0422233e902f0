import { isUUID } from 'class-validator';
import DataLoader from 'dataloader';
import { Args, ArgsType, Authorized, Field, FieldResolver, ID, Int, Query, Resolver, Root } from 'type-graphql';
import type { DataSource, SelectQueryBuilder } from 'typeorm';
import { SearchedPageArgs } from '../core/page.args.js';
import { hasText } from '../core/parameters.js';
import { AdminAction } from '../operator-log/admin-action.js';
import type { EmailOf } from './row-loaders.js';

@ArgsType()
export class AdminActionArgs extends SearchedPageArgs {
  @Field(() => ID, {
    nullable: true,
    description: 'Only actions on this balance, token, county or account (with its balances and tokens).',
  })
  target?: string | null;
}

// As an array, so that the index is used: an account may have thousands of tokens.
const targets = `array(
  select :target::text union all select id::text from credit_balance where account_id = :target
  union all select id::text from api_token where account_id = :target)`;
// The log keeps ids only, so the text is also sought in the addresses of the accounts.
const people = `(select id from auth."user" where ${hasText(':search', 'email')})`;
const isFound = `(${hasText(':search', 'a.action', 'a.actor', 'a.target', 'a.reason')}
  or a.actor in ${people} or a.target in ${people})`;

/** The activity log, for operators. An action on a balance or a token counts as an action on its account. */
@Authorized('admin')
@Resolver(() => AdminAction)
export class AdminActionResolver {
  private readonly owners: DataLoader<string, string>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly emailOf: EmailOf,
  ) {
    this.owners = new DataLoader((ids) => this.ownersOf(ids), { cache: false });
  }

  @Query(() => [AdminAction], { description: 'The activity log, newest first.' })
  adminActions(@Args() args: AdminActionArgs): Promise<AdminAction[]> {
    return this.matching(args).orderBy('a.id', 'DESC').limit(args.limit).offset(args.offset).getMany();
  }

  @Query(() => Int, { description: 'The number of entries that `adminActions` has on all pages.' })
  adminActionCount(@Args() args: AdminActionArgs): Promise<number> {
    return this.matching(args).getCount();
  }

  @FieldResolver(() => String, { nullable: true, description: "The operator's email address; null for the command line." })
  actorEmail(@Root() { actor }: AdminAction): Promise<string | null> {
    return this.emailOf(actor);
  }

  @FieldResolver(() => ID, {
    nullable: true,
    description: 'The account that the action changed, or that owns the changed balance or token; null for other targets.',
  })
  async accountId(@Root() action: AdminAction): Promise<string | null> {
    return (await this.targetEmail(action)) === null ? null : this.owners.load(action.target);
  }

  @FieldResolver(() => String, { nullable: true, description: 'The email address of that account; null without one.' })
  async targetEmail(@Root() { target }: AdminAction): Promise<string | null> {
    return this.emailOf(await this.owners.load(target));
  }

  private matching({ target, search }: AdminActionArgs): SelectQueryBuilder<AdminAction> {
    return this.dataSource
      .getRepository(AdminAction)
      .createQueryBuilder('a')
      .where((target ?? null) === null ? 'true' : `a.target = any(${targets})`, { target })
      .andWhere(search ? isFound : 'true', { search });
  }

  /** The accounts of balances and tokens; any other target itself. */
  private async ownersOf(ids: readonly string[]): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string; accountId: string }[]>(
      `select id, account_id as "accountId" from credit_balance where id = any($1)
       union all
       select id, account_id from api_token where id = any($1)`,
      [ids.filter((id) => isUUID(id))],
    );
    const owners = new Map(rows.map(({ id, accountId }) => [id, accountId]));
    return ids.map((id) => owners.get(id) ?? id);
  }
}
