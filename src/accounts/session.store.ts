import { randomBytes } from 'node:crypto';
import { type DataSource, Not } from 'typeorm';
import { SessionEntity } from './session.entity.js';
import { VerificationEntity } from './verification.entity.js';

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
  constructor(private readonly dataSource: DataSource) {}

  /** The latest first. better-auth shows them only within a day of sign-in; but who fears a thief looks later than that. */
  async list(userId: string): Promise<ListedSession[]> {
    const sessions = await this.dataSource
      .getRepository(SessionEntity)
      .createQueryBuilder('s')
      .where('s.userId = :userId and s.expiresAt > now()', { userId })
      .orderBy('s.createdAt', 'DESC')
      .getMany();
    return sessions.map(({ id, ipAddress, userAgent, createdAt, expiresAt }) => ({
      id,
      token: id,
      ipAddress,
      userAgent,
      createdAt,
      expiresAt,
    }));
  }

  async tokenOf(sessionId: string): Promise<string | null> {
    const session = await this.dataSource.getRepository(SessionEntity).findOneBy({ id: sessionId });
    return session?.token ?? null;
  }

  /** Ends every session of a person, except one that they are just using. */
  async endAll(userId: string, exceptId: string | null = null): Promise<void> {
    await this.dataSource.getRepository(SessionEntity).delete({ userId, ...(exceptId !== null && { id: Not(exceptId) }) });
  }

  /**
   * Gives a session that is due for it another token, and ends the person's other sessions. The old token lives on for half a
   * minute, for requests that the browser has under way; of several that come at once one renews.
   * @returns the new token, null if another request has just renewed it
   */
  async renew(sessionId: string): Promise<string | null> {
    const token = randomBytes(24).toString('base64url');
    const renewed = await this.dataSource.query<object[]>(
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
       select gen_random_uuid(), $2, "userId", "ipAddress", "userAgent", "expiresAt", "createdAt", now() from due
       returning id`,
      [sessionId, token],
    );
    return renewed.length === 1 ? token : null;
  }

  /** Forgets what has run out. better-auth does so only with what it happens to meet. */
  async prune(): Promise<void> {
    for (const entity of [SessionEntity, VerificationEntity]) {
      await this.dataSource
        .getRepository<SessionEntity | VerificationEntity>(entity)
        .createQueryBuilder()
        .delete()
        .where('"expiresAt" < now()')
        .execute();
    }
  }
}
