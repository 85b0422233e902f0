import { isUUID as isUuid } from 'class-validator';
import { type DataSource, In } from 'typeorm';
import { UserEntity } from '../../accounts/identity/user.entity.js';
import type { ActionFilter, OperatorLog } from '../../operator-log/operator-log.js';
import type { AdminAction, AdminActionArgs } from './admin-action.js';

const mostPeople = 1000;

/** The activity log with accounts: an action on a balance or a token counts as an action on its account. */
export class AdminActionService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly operatorLog: OperatorLog,
  ) {}

  /** Actions on a target, newest first. An account includes its balances and tokens. Null: all actions. */
  async list(args: AdminActionArgs): Promise<AdminAction[]> {
    const actions = await this.operatorLog.list(await this.filterOf(args), args.limit, args.offset);
    const owners = await this.ownersOf(actions.map((action) => action.target));
    const accountOf = (action: { target: string }) => owners.get(action.target) ?? action.target;
    const accounts = await this.dataSource
      .getRepository(UserEntity)
      .findBy({ id: In(actions.flatMap((action) => [action.actor, accountOf(action)])) });
    const emails = new Map(accounts.map(({ id, email }) => [id, email]));
    return actions.map((action) => ({
      ...action,
      actorEmail: emails.get(action.actor) ?? null,
      accountId: emails.has(accountOf(action)) ? accountOf(action) : null,
      targetEmail: emails.get(accountOf(action)) ?? null,
    }));
  }

  async count(args: AdminActionArgs): Promise<number> {
    return this.operatorLog.count(await this.filterOf(args));
  }

  private async filterOf({ target, search }: AdminActionArgs): Promise<ActionFilter> {
    return { targets: await this.targetsOf(target ?? null), search: search ?? '', people: search ? await this.peopleNamed(search) : [] };
  }

  /** The ids of accounts by their email addresses: the log keeps ids only. */
  private async peopleNamed(text: string): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      `select id from auth."user" where position(lower($1) in lower(email)) > 0 limit ${mostPeople}`,
      [text],
    );
    return rows.map(({ id }) => id);
  }

  private async targetsOf(target: string | null): Promise<string[] | null> {
    return target === null ? null : [target, ...(await this.ownedBy(target))];
  }

  /** The ids of an account's balances and tokens. */
  private async ownedBy(accountId: string): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      `select id from credit_balance where account_id = $1
       union all
       select id from api_token where account_id = $1`,
      [accountId],
    );
    return rows.map(({ id }) => id);
  }

  /** The accounts of balances and tokens, by their ids. */
  private async ownersOf(targets: string[]): Promise<Map<string, string>> {
    const rows = await this.dataSource.query<{ id: string; accountId: string }[]>(
      `select id, account_id as "accountId" from credit_balance where id = any($1)
       union all
       select id, account_id from api_token where id = any($1)`,
      [targets.filter((target) => isUuid(target))],
    );
    return new Map(rows.map(({ id, accountId }) => [id, accountId]));
  }
}
