import type { DataSource, EntityManager } from 'typeorm';
import { type ListedToken, listUsableTokens, revokeTokensOf } from '../../tokens/revoke-tokens.js';
import { Account } from '../account.js';
import type { ListedSession } from '../sessions/session.store.js';

/** The ways into an account besides its password, with the fields by which its owner recognizes them. */
export interface Access {
  passkeys: { id: string; name: string | null; createdAt: Date }[];
  tokens: ListedToken[];
  sessions: Pick<ListedSession, 'id' | 'ipAddress' | 'userAgent' | 'createdAt'>[];
}

/** Ids of the passkeys, tokens and sessions to keep. */
export type KeptIds = Record<keyof Access, string[]>;

/** Lists and revokes access on behalf of a person who opened a mailed link: they own the account's address but have no session. */
export class AccountAccess {
  constructor(private readonly dataSource: DataSource) {}

  async list(accountId: string, within: EntityManager = this.dataSource.manager): Promise<Access> {
    const list = <Row>(table: string, columns: string) =>
      within.query<Row[]>(`select id, ${columns}, "createdAt" from auth.${table} where "userId" = $1 order by "createdAt", id`, [
        accountId,
      ]);
    return {
      passkeys: await list('passkey', 'name'),
      tokens: await listUsableTokens(within, accountId),
      sessions: await list('session', '"ipAddress", "userAgent"'),
    };
  }

  /**
   * Ends sessions, removes passkeys and revokes tokens, except the kept ones. Locks the account's row first, like a ban and the issue of a
   * token.
   * @returns all access that existed before
   */
  async revokeExcept(manager: EntityManager, accountId: string, kept: KeptIds): Promise<Access> {
    await manager.findOne(Account, { where: { id: accountId }, lock: { mode: 'pessimistic_write' } });
    const all = await this.list(accountId, manager);
    const stays = (kind: keyof Access) => all[kind].map(({ id }) => id).filter((id) => kept[kind].includes(id));
    await manager.query('delete from auth.passkey where "userId" = $1 and id <> all($2)', [accountId, stays('passkeys')]);
    await manager.query('delete from auth.session where "userId" = $1 and id <> all($2)', [accountId, stays('sessions')]);
    await manager.query('delete from auth.known_source where user_id = $1', [accountId]);
    await revokeTokensOf(manager, accountId, stays('tokens'));
    return all;
  }

  /**
   * Revokes access before a password reset. If the server dies before the password changes, nothing that was revoked works with the new
   * password, and the link still works.
   */
  recover(accountId: string, kept: Omit<KeptIds, 'sessions'>): Promise<object> {
    return this.dataSource.transaction(async (manager) => {
      const { passkeys, tokens } = await this.revokeExcept(manager, accountId, { ...kept, sessions: [] });
      await manager.update(Account, { id: accountId }, { emailVerified: true, updatedAt: () => 'now()' });
      return {
        passkeys: only(passkeys, kept.passkeys),
        tokens: only(tokens, kept.tokens),
        removed: { passkeys: except(passkeys, kept.passkeys), tokens: except(tokens, kept.tokens) },
      };
    });
  }
}

const only = <T extends { id: string }>(all: T[], ids: string[]): T[] => all.filter(({ id }) => ids.includes(id));
const except = <T extends { id: string }>(all: T[], ids: string[]): T[] => all.filter(({ id }) => !ids.includes(id));
