import { randomBytes } from 'node:crypto';
import type { DataSource, EntityManager } from 'typeorm';
import { type Context, requireSession } from '../../core/context.js';
import { AppError } from '../../core/errors.js';

/** A session as its owner sees it. `token` is the id again: better-auth's client sends that field to end a session. */
export interface ListedSession {
  id: string;
  token: string;
  ipAddress: string | null;
  userAgent: string | null;
  createdAt: Date;
  expiresAt: Date;
}

/** Operations on sessions that better-auth lacks. */
export class SessionStore {
  constructor(private readonly dataSource: DataSource) {}

  /** Newest first. better-auth lists sessions only within a day of sign-in; owners must be able to see a stolen one later, too. */
  async list(userId: string): Promise<ListedSession[]> {
    return await this.dataSource.query<ListedSession[]>(
      `select id, id as token, "ipAddress", "userAgent", "createdAt", "expiresAt"
         from auth.session where "userId" = $1 and "expiresAt" > now() order by "createdAt" desc`,
      [userId],
    );
  }

  async isYoungerThan(sessionId: string, seconds: number): Promise<boolean> {
    const [young] = await this.dataSource.query<object[]>(
      'select from auth.session where id = $1 and "createdAt" > now() - make_interval(secs => $2)',
      [sessionId, seconds],
    );
    return young !== undefined;
  }

  /**
   * For what costs money or cannot be undone: an operator's open console or a stolen cookie must not be enough.
   * @param what the action, as in "Sign in again to …"
   * @throws AppError forbidden
   */
  async requireRecentSignIn(context: Context, what: string): Promise<void> {
    if (await this.isYoungerThan(requireSession(context).sessionId, 5 * 60)) return;
    throw new AppError('forbidden', `Sign in again to ${what}: your last sign-in was more than five minutes ago.`);
  }

  async tokenOf(sessionId: string): Promise<string | null> {
    const [session] = await this.dataSource.query<{ token: string }[]>('select token from auth.session where id = $1', [sessionId]);
    return session?.token ?? null;
  }

  /** Ends every session of a person except `exceptId`. */
  async endAll(userId: string, exceptId: string | null = null): Promise<void> {
    await this.dataSource.query('delete from auth.session where "userId" = $1 and id is distinct from $2', [userId, exceptId]);
  }

  /**
   * Extends a session to `seconds` from now, at most once a day and not beyond 30 days after sign-in (trigger `bound_session`).
   * @returns its token; null if another request has extended it or it has ended
   */
  async prolong(sessionId: string, seconds: number): Promise<string | null> {
    const [[prolonged]] = await this.dataSource.query<[{ token: string }[], number]>(
      `update auth.session set "expiresAt" = now() + make_interval(secs => $2), "updatedAt" = now()
        where id = $1 and "updatedAt" < now() - interval '1 day' and "expiresAt" > now()
       returning token`,
      [sessionId, seconds],
    );
    return prolonged?.token ?? null;
  }

  /**
   * Replaces a session that has `renewalDue` with one that has a new token, and ends the person's other sessions. The old token works for
   * another 30 seconds, for requests already under way. Of several concurrent requests only one renews the session.
   * @returns the new token; null if another request has renewed the session
   */
  async renew(sessionId: string): Promise<string | null> {
    const token = randomBytes(24).toString('base64url');
    const renewed = await this.dataSource.query<object[]>(
      `with due as (
         select * from auth.session where id = $1 and "renewalDue" for update
       ), old as (
         update auth.session s -- "updatedAt" of today, so that no use prolongs it
            set "renewalDue" = false, "expiresAt" = least(s."expiresAt", now() + interval '30 seconds'), "updatedAt" = now()
           from due where s.id = due.id
       ), others as (
         delete from auth.session s using due where s."userId" = due."userId" and s.id <> due.id
       )
       insert into auth.session (id, token, "userId", "ipAddress", "userAgent", "expiresAt", "createdAt", "updatedAt")
       select gen_random_uuid(), $2, "userId", "ipAddress", "userAgent", "expiresAt", "createdAt", now() from due
       returning id`,
      [sessionId, token],
    );
    return renewed.length === 1 ? token : null;
  }

  /**
   * Called after a sign-out: ends the person's replaced sessions, which would work for up to 30 more seconds, and the session that replaced
   * the ended one (it has the same `createdAt`). A tab may still send the old token when the browser has the new one.
   */
  async endRenewals(userId: string, createdAt: Date): Promise<void> {
    await this.dataSource.query(
      `delete from auth.session
        where "userId" = $1 and ("expiresAt" < now() + interval '30 seconds' or date_trunc('milliseconds', "createdAt") = $2)`,
      [userId, createdAt],
    );
  }
}

/**
 * Checks again, in the transaction that issues a token, that the caller is signed in. Since the request came, a password reset may have ended
 * the session and revoked all tokens.
 * @throws AppError unauthenticated
 */
export async function requireOpenSession(manager: EntityManager, context: Context): Promise<void> {
  const { user, sessionId } = requireSession(context);
  const [{ held }] = await manager.query<[{ held: boolean }]>('select auth.hold_session($1, $2) as held', [user.id, sessionId]);
  if (!held) throw new AppError('unauthenticated', 'Sign in first.');
}
