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
import { Account, AccountChange, Role } from '../account.js';

/** Who changes an account, and why. */
export interface AdminReason {
  /** An account id, or `commandLine`. */
  actor: string;
  reason: Reason | null;
}

const endSessionsOf = 'delete from auth.session where "userId" = $1';

interface Change {
  /** Its name in the activity log. */
  action: string;
  to?: Partial<Pick<Account, 'banned' | 'role' | 'trialLimitLifted'>>;
  also?: (manager: EntityManager, id: string) => Promise<unknown>;
}

/** The first session used after a change of role gets a new token, and the others end. */
const renewSessions = (manager: EntityManager, id: string) =>
  manager.query('update auth.session set "renewalDue" = true where "userId" = $1', [id]);

const changes: Record<AccountChange, Change> = {
  ban: {
    action: 'ban',
    to: { banned: true },
    also: async (manager, id) => {
      await manager.query(endSessionsOf, [id]);
      await revokeTokensOf(manager, id);
      await endSubscriptions(manager, id, banConsequencesSeconds);
    },
  },
  unban: { action: 'unban', to: { banned: false }, also: keepSubscriptions },
  grantAdmin: { action: 'grant admin', to: { role: Role.admin }, also: renewSessions },
  revokeAdmin: { action: 'revoke admin', to: { role: Role.user }, also: renewSessions },
  liftTrialLimit: { action: 'lift trial limit', to: { trialLimitLifted: true } },
  restoreTrialLimit: { action: 'restore trial limit', to: { trialLimitLifted: false } },
  endSessions: { action: 'end sessions', also: (manager, id) => manager.query(endSessionsOf, [id]) },
  // A paid plan ends at once, because its owner could no longer cancel it.
  delete: { action: 'delete account', also: forgetOwner },
};

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

  /** Takes effect with the account's next request. A second deletion changes nothing. */
  change(id: string, change: AccountChange, reason: AdminReason): Promise<Account> {
    const { action, to, also } = changes[change];
    return this.dataSource.transaction(async (manager) => {
      const account = await lockForChange(manager, id, reason.actor);
      if (account?.deletedAt && change === AccountChange.delete) return account;
      if (!account || account.deletedAt) throw new AppError('not_found', 'There is no such account.');
      await manager.update(Account, { id }, { ...to, updatedAt: () => 'now()' });
      await also?.(manager, id);
      const after = await manager.findOneByOrFail(Account, { id });
      const state = ({ banned, role, trialLimitLifted }: Account) => ({ banned, role, trialLimitLifted });
      await recordAction(manager, { ...reason, action, target: id, before: state(account), after: state(after) });
      return after;
    });
  }

  /** Deletes an account that its owner, or nobody, uses any more. */
  close(id: string): Promise<void> {
    return this.dataSource.transaction((manager) => forgetOwner(manager, id));
  }

  /** Sends invoices to the account's new address from now on. */
  emailHasChanged(id: string, email: string): Promise<void> {
    return updateCustomerEmail(this.dataSource, id, email);
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
