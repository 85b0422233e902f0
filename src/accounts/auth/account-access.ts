import { type DataSource, type EntityManager, In, Not } from 'typeorm';
import { type ListedToken, listUsableTokens, revokeTokensOf } from '../../tokens/revoke-tokens.js';
import { UserEntity } from '../identity/user.entity.js';
import { PasskeyEntity } from '../passkeys/passkey.entity.js';
import { KnownSourceEntity } from '../sessions/recognized-device.entity.js';
import { SessionEntity } from '../sessions/session.entity.js';

/** What opens an account beside its password, as its owner recognizes it. */
export interface Access {
  passkeys: Pick<PasskeyEntity, 'id' | 'name' | 'createdAt'>[];
  tokens: ListedToken[];
  sessions: Pick<SessionEntity, 'id' | 'ipAddress' | 'userAgent' | 'createdAt'>[];
}

/** Ids of what stays. */
export type Kept = Record<keyof Access, string[]>;

/** For the holder of a mailed link, who has proved to own the account's address but has no session. */
export class AccountAccess {
  constructor(private readonly dataSource: DataSource) {}

  async list(accountId: string, within: EntityManager = this.dataSource.manager): Promise<Access> {
    const ofAccount = { where: { userId: accountId }, order: { createdAt: 'ASC', id: 'ASC' } } as const;
    return {
      passkeys: await within.find(PasskeyEntity, { ...ofAccount, select: { id: true, name: true, createdAt: true } }),
      tokens: await listUsableTokens(within, accountId),
      sessions: await within.find(SessionEntity, {
        ...ofAccount,
        select: { id: true, ipAddress: true, userAgent: true, createdAt: true },
      }),
    };
  }

  /**
   * Ends sessions, removes passkeys and revokes tokens, except those that are named. Locks the account's row first, as a ban and the
   * issue of a token do.
   * @returns what there was
   */
  async drop(manager: EntityManager, accountId: string, kept: Kept): Promise<Access> {
    await manager.findOne(UserEntity, { where: { id: accountId }, lock: { mode: 'pessimistic_write' } });
    const all = await this.list(accountId, manager);
    const stays = (kind: keyof Access) => all[kind].map(({ id }) => id).filter((id) => kept[kind].includes(id));
    await manager.delete(PasskeyEntity, { userId: accountId, id: Not(In(stays('passkeys'))) });
    await manager.delete(SessionEntity, { userId: accountId, id: Not(In(stays('sessions'))) });
    await manager.delete(KnownSourceEntity, { userId: accountId });
    await revokeTokensOf(manager, accountId, stays('tokens'));
    return all;
  }

  /**
   * Gives an account to the holder of a link to a new password, before the password changes: if the server dies between, nothing that was
   * dropped is alive under the new password, and the link still works.
   */
  takeBack(accountId: string, kept: Omit<Kept, 'sessions'>): Promise<object> {
    return this.dataSource.transaction(async (manager) => {
      const { passkeys, tokens } = await this.drop(manager, accountId, { ...kept, sessions: [] });
      await manager.update(UserEntity, { id: accountId }, { emailVerified: true, updatedAt: () => 'now()' });
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
