import type { Pool } from 'pg';

/** What sessions need beyond better-auth's own work on them. */
export class SessionStore {
  constructor(private readonly pool: Pool) {}

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
