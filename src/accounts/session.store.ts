import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';

/** A session as its owner sees it. */
export interface ListedSession {
  id: string;
  /** The id again, where better-auth's client looks for what it sends to end a session. */
  token: string;
  ipAddress: string | null;
  userAgent: string | null;
  createdAt: Date;
  expiresAt: Date;
}

/** What sessions need beyond better-auth's own work on them. */
export class SessionStore {
  constructor(private readonly pool: Pool) {}

  /** The latest first. better-auth shows them only within a day of sign-in; but who fears a thief looks later than that. */
  async list(userId: string): Promise<ListedSession[]> {
    const { rows } = await this.pool.query<ListedSession>(
      `select id, id as token, "ipAddress", "userAgent", "createdAt", "expiresAt"
         from auth.session where "userId" = $1 and "expiresAt" > now() order by "createdAt" desc`,
      [userId],
    );
    return rows;
  }

  async tokenOf(sessionId: string): Promise<string | null> {
    const { rows } = await this.pool.query<{ token: string }>(`select token from auth.session where id = $1`, [sessionId]);
    return rows[0]?.token ?? null;
  }

  /** Ends every session of a person, except one that they are just using. */
  async endAll(userId: string, exceptId: string | null = null): Promise<void> {
    await this.pool.query(`delete from auth.session where "userId" = $1 and id is distinct from $2`, [userId, exceptId]);
  }

  /**
   * Gives a session that is due for it another token, and ends the person's other sessions. The old token lives on for half a
   * minute, for requests that the browser has under way; of several that come at once one renews.
   * @returns the new token, null if another request has just renewed it
   */
  async renew(sessionId: string): Promise<string | null> {
    const token = randomBytes(24).toString('base64url');
    const { rowCount } = await this.pool.query(
      `with due as (
         select * from auth.session where id = $1 and "renewalDue" for update
       ), old as (
         update auth.session s
            set "renewalDue" = false, "expiresAt" = least(s."expiresAt", now() + interval '30 seconds')
           from due where s.id = due.id
       ), others as (
         delete from auth.session s using due where s."userId" = due."userId" and s.id <> due.id
       )
       insert into auth.session (id, token, "userId", "ipAddress", "userAgent", "expiresAt", "createdAt", "updatedAt")
       select gen_random_uuid(), $2, "userId", "ipAddress", "userAgent", "expiresAt", "createdAt", now() from due`,
      [sessionId, token],
    );
    return rowCount === 1 ? token : null;
  }

  /** Forgets what has run out. better-auth does so only with what it happens to meet. */
  async prune(): Promise<void> {
    await this.pool.query(`delete from auth.session where "expiresAt" < now()`);
    await this.pool.query(`delete from auth.verification where "expiresAt" < now()`);
  }
}
