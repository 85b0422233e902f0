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

  /** Forgets what has run out. better-auth does so only with what it happens to meet. */
  async prune(): Promise<void> {
    await this.pool.query(`delete from auth.session where "expiresAt" < now()`);
    await this.pool.query(`delete from auth.verification where "expiresAt" < now()`);
  }
}
