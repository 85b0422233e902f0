import type { Pool, PoolClient } from 'pg';
import { AuditLog } from '../audit-log/audit-log.js';
import { inTransaction } from '../database/transaction.js';
import { AppError } from '../errors.js';
import { endSubscriptions, keepSubscriptions } from '../jobs/account-events.js';
import { forgetMails } from '../mail/send-mail.js';
import type { Account } from './account.js';
import type { Role } from './session-user.js';

/** Who changes an account, and why. */
export interface AdminReason {
  /** An account id, or `command line`. */
  actor: string;
  reason: string | null;
}

// A ban by mistake that is lifted within this time leaves the subscription as it was.
const banConsequencesSeconds = 600;

const columns = `id, email, name, "emailVerified", role, banned, "deletedAt", "createdAt"`;

/** Accounts as operators handle them, and how one ends. What people do to their own goes through better-auth. */
export class AccountStore {
  constructor(
    private readonly pool: Pool,
    private readonly audit: AuditLog,
  ) {}

  /** Accounts whose e-mail address, name or id contains the text, newest first. */
  async find(text: string, limit: number, offset: number): Promise<{ accounts: Account[]; total: number }> {
    const { rows } = await this.pool.query<Account & { total: string }>(
      `select ${columns}, count(*) over () as total
         from auth."user"
        where position(lower($1) in lower(email || ' ' || name || ' ' || id)) > 0
        order by "createdAt" desc, id
        limit $2 offset $3`,
      [text, limit, offset],
    );
    return { accounts: rows.map(({ total: _, ...account }) => account), total: Number(rows[0]?.total ?? 0) };
  }

  async byEmail(email: string): Promise<Account | null> {
    const { rows } = await this.pool.query<Account>(`select ${columns} from auth."user" where email = lower($1)`, [email]);
    return rows[0] ?? null;
  }

  async byId(id: string): Promise<Account | null> {
    const { rows } = await this.pool.query<Account>(`select ${columns} from auth."user" where id = $1`, [id]);
    return rows[0] ?? null;
  }

  /** Ends the account's sessions and revokes its tokens, for the very next request on every server; soon also its subscription. */
  ban(id: string, reason: AdminReason): Promise<Account> {
    return this.change(id, 'ban', { banned: true }, reason, async (client) => {
      await endSessions(client, id);
      await revokeTokens(client, id);
      await endSubscriptions(client, id, banConsequencesSeconds);
    });
  }

  /** Lets the person sign in again. Their old tokens stay revoked. */
  unban(id: string, reason: AdminReason): Promise<Account> {
    return this.change(id, 'unban', { banned: false }, reason, (client) => keepSubscriptions(client, id));
  }

  /** Holds for the next request. The first session that is used then gets a new token, and the others end. */
  setRole(id: string, role: Role, reason: AdminReason): Promise<Account> {
    return this.change(id, role === 'admin' ? 'grant admin' : 'revoke admin', { role }, reason, async (client) => {
      await client.query(`update auth.session set "renewalDue" = true where "userId" = $1`, [id]);
    });
  }

  /** The owner's own end of an account: what is personal goes, the ledger and the row it points to stay. */
  close(id: string): Promise<void> {
    return inTransaction(this.pool, async (client) => {
      const { rows } = await client.query<{ email: string }>(`select email from auth."user" where id = $1`, [id]);
      if (rows[0]) await forgetMails(client, rows[0].email);
      await client.query(
        `update auth."user"
            set email = lower('deleted-' || id) || '@deleted.invalid', name = 'Deleted account', image = null,
                "emailVerified" = false, role = 'user', "deletedAt" = service_now(), "updatedAt" = now()
          where id = $1`,
        [id],
      );
      await client.query(`delete from auth.account where "userId" = $1`, [id]);
      await deleteCredentials(client, id);
      await revokeTokens(client, id);
      await endSubscriptions(client, id, 0);
    });
  }

  /** Gives an account to the one who proved to own its address, without what anybody before them may have left in it. */
  resetForVerifiedOwner(id: string): Promise<void> {
    return inTransaction(this.pool, async (client) => {
      await client.query(`update auth."user" set "emailVerified" = true, "updatedAt" = now() where id = $1`, [id]);
      await deleteCredentials(client, id);
      await revokeTokens(client, id);
    });
  }

  async hasNewerPassword(id: string, than: Date): Promise<boolean> {
    // The other time has whole seconds, cut off: within its second the order is not known, and a new account's is not newer.
    const { rowCount } = await this.pool.query(
      `select from auth.account where "userId" = $1 and "providerId" = 'credential' and "updatedAt" >= $2::timestamptz + interval '1 second'`,
      [id, than],
    );
    return rowCount === 1;
  }

  private change(
    id: string,
    action: string,
    to: Partial<Pick<Account, 'banned' | 'role'>>,
    reason: AdminReason,
    consequences: (client: PoolClient) => Promise<void>,
  ): Promise<Account> {
    return inTransaction(this.pool, async (client) => {
      const { rows } = await client.query<Account>(`select ${columns} from auth."user" where id = $1 and "deletedAt" is null for update`, [
        id,
      ]);
      const account = rows[0];
      if (!account) throw new AppError('not_found', 'There is no such account.');
      const after = { ...account, ...to };
      await client.query(`update auth."user" set banned = $2, role = $3, "updatedAt" = now() where id = $1`, [
        id,
        after.banned,
        after.role,
      ]);
      await consequences(client);
      const state = ({ banned, role }: Account) => ({ banned, role });
      await this.audit.write({ ...reason, action, target: id, before: state(account), after: state(after) }, client);
      return after;
    });
  }
}

async function endSessions(client: PoolClient, id: string): Promise<void> {
  await client.query(`delete from auth.session where "userId" = $1`, [id]);
}

async function revokeTokens(client: PoolClient, id: string): Promise<void> {
  await client.query(`update api_token set revoked_at = service_now() where account_id = $1 and revoked_at is null`, [id]);
}

async function deleteCredentials(client: PoolClient, id: string): Promise<void> {
  await endSessions(client, id);
  await client.query(`delete from auth.passkey where "userId" = $1`, [id]);
  await client.query(`delete from auth.verification where value = $1`, [id]);
  await client.query(`delete from auth.known_source where user_id = $1`, [id]);
}
