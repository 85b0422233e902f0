import { type DataSource, type EntityManager, In } from 'typeorm';
import { AppError } from '../../core/errors.js';
import { hasText } from '../../core/parameters.js';
import type { Reason } from '../../core/reason.js';
import {
  banConsequencesSeconds,
  endSubscriptions,
  forgetCustomerEmail,
  forgetRequestsOf,
  keepSubscriptions,
  updateCustomerEmail,
} from '../../jobs/account-events.js';
import { forgetMails } from '../../mail/send-mail.js';
import { recordAction } from '../../operator-log/record-action.js';
import { revokeTokensOf } from '../../tokens/revoke-tokens.js';
import { Account, Role } from '../account.js';

/** Who changes an account, and why. */
export interface AdminReason {
  /** An account id, or `commandLine`. */
  actor: string;
  reason: Reason | null;
}

const endSessionsOf = 'delete from auth.session where "userId" = $1';

const deletion = 'delete account';

/** Changes by operators, and deletion by the owner. All other changes by the owner go through better-auth. */
export class AccountStore {
  constructor(private readonly dataSource: DataSource) {}

  /** Ids of the accounts whose email address contains the text. */
  async idsByEmail(text: string): Promise<string[]> {
    const found = await this.dataSource
      .getRepository(Account)
      .createQueryBuilder('u')
      .select('u.id', 'id')
      .where(hasText(':text', 'u.email'), { text })
      .getRawMany<{ id: string }>();
    return found.map(({ id }) => id);
  }

  byEmail(email: string): Promise<Account | null> {
    return this.dataSource.getRepository(Account).findOneBy({ email: email.toLowerCase() });
  }

  byId(id: string): Promise<Account | null> {
    return this.dataSource.getRepository(Account).findOneBy({ id });
  }

  /** Ends the account's sessions and revokes its tokens, effective from the next request. Its subscription ends ten minutes later. */
  ban(id: string, reason: AdminReason): Promise<Account> {
    return this.change(id, 'ban', { banned: true }, reason, async (manager) => {
      await manager.query(endSessionsOf, [id]);
      await revokeTokensOf(manager, id);
      await endSubscriptions(manager, id, banConsequencesSeconds);
    });
  }

  /** Lets the person sign in again. Their old tokens stay revoked. */
  unban(id: string, reason: AdminReason): Promise<Account> {
    return this.change(id, 'unban', { banned: false }, reason, (manager) => keepSubscriptions(manager, id));
  }

  /** Effective from the next request. The first session used then gets a new token, and the others end. */
  setRole(id: string, role: Role, reason: AdminReason): Promise<Account> {
    return this.change(id, role === 'admin' ? 'grant admin' : 'revoke admin', { role }, reason, async (manager) => {
      await manager.query('update auth.session set "renewalDue" = true where "userId" = $1', [id]);
    });
  }

  /** Sets whether the account may take any number of trials. */
  setTrialLimitLifted(id: string, trialLimitLifted: boolean, reason: AdminReason): Promise<Account> {
    return this.change(id, trialLimitLifted ? 'lift trial limit' : 'restore trial limit', { trialLimitLifted }, reason);
  }

  /** Ends all sessions of the account: the person has to sign in again. */
  endSessions(id: string, reason: AdminReason): Promise<Account> {
    return this.change(id, 'end sessions', {}, reason, async (manager) => {
      await manager.query(endSessionsOf, [id]);
    });
  }

  /** Deletes an account as its owner does. A paid plan ends at once: its owner could no longer cancel it. A second call changes nothing. */
  delete(id: string, reason: AdminReason): Promise<Account> {
    return this.change(id, deletion, {}, reason, (manager) => forgetOwner(manager, id));
  }

  /** Deletes an account that its owner, or nobody, uses any more. */
  close(id: string): Promise<void> {
    return this.dataSource.transaction((manager) => forgetOwner(manager, id));
  }

  /** Sends invoices to the account's new address from now on. */
  emailHasChanged(id: string, email: string): Promise<void> {
    return updateCustomerEmail(this.dataSource, id, email);
  }

  private change(
    id: string,
    action: string,
    to: Partial<Pick<Account, 'banned' | 'role' | 'trialLimitLifted'>>,
    reason: AdminReason,
    consequences?: (manager: EntityManager) => Promise<void>,
  ): Promise<Account> {
    return this.dataSource.transaction(async (manager) => {
      const account = await lockForChange(manager, id, reason.actor);
      if (account?.deletedAt && action === deletion) return account;
      if (!account || account.deletedAt) throw new AppError('not_found', 'There is no such account.');
      await manager.update(Account, { id }, { ...to, updatedAt: () => 'now()' });
      await consequences?.(manager);
      const after = await manager.findOneByOrFail(Account, { id });
      const state = ({ banned, role, trialLimitLifted }: Account) => ({ banned, role, trialLimitLifted });
      await recordAction(manager, { ...reason, action, target: id, before: state(account), after: state(after) });
      return after;
    });
  }
}

/** Deletes personal data, and keeps the ledger and the row to which it refers. */
async function forgetOwner(manager: EntityManager, id: string): Promise<void> {
  const user = await manager.findOneBy(Account, { id });
  if (user) await forgetMails(manager, user.email);
  await manager.update(
    Account,
    { id },
    {
      // Not a valid sign-up address, so no other account can have it and block the deletion.
      email: `deleted-${id.toLowerCase()}@invalid`,
      name: 'Deleted account',
      image: null,
      emailVerified: false,
      role: Role.user,
      deletedAt: () => 'service_now()',
      updatedAt: () => 'now()',
    },
  );
  // The change of address has deleted the mailed links (trigger `new_address_ends_mailed_links`).
  await manager.query('delete from auth.account where "userId" = $1', [id]);
  await manager.query('delete from auth.passkey where "userId" = $1', [id]);
  await manager.query(endSessionsOf, [id]);
  await manager.query('delete from auth.known_source where user_id = $1', [id]);
  await revokeTokensOf(manager, id);
  await forgetCustomerEmail(manager, id);
  await forgetRequestsOf(manager, id);
  await endSubscriptions(manager, id, 0);
}

/**
 * Locks the changed account and the operator's own. If two operators revoke each other's role at once, the second is refused
 * (`refuse_former_operator`), so one operator remains. Locks in the order of ids to avoid a deadlock.
 */
async function lockForChange(manager: EntityManager, id: string, actor: string): Promise<Account | undefined> {
  const users = await manager.find(Account, {
    where: { id: In([id, actor]) },
    order: { id: 'ASC' },
    lock: { mode: 'pessimistic_write' },
  });
  return users.find((user) => user.id === id);
}
