import { randomBytes } from 'node:crypto';
import { type DataSource, Not } from 'typeorm';
import { VerificationEntity } from '../identity/verification.entity.js';
import { SessionEntity } from './session.entity.js';

/** A session as its owner sees it. */
export interface ListedSession {
  id: string;
  /** The id again: better-auth's client sends the value of this field to end a session. */
  token: string;
  ipAddress: string | null;
  userAgent: string | null;
  createdAt: Date;
  expiresAt: Date;
}

/** Operations on sessions that better-auth lacks. */
export class SessionStore {
  constructor(private readonly dataSource: DataSource) {}

  /** The latest first. better-auth itself lists sessions only within a day of sign-in; owners must see a stolen one later, too. */
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

  async isYoungerThan(sessionId: string, seconds: number): Promise<boolean> {
    const [young] = await this.dataSource.query<object[]>(
      'select from auth.session where id = $1 and "createdAt" > now() - make_interval(secs => $2)',
      [sessionId, seconds],
    );
    return young !== undefined;
  }

  async tokenOf(sessionId: string): Promise<string | null> {
    const session = await this.dataSource.getRepository(SessionEntity).findOneBy({ id: sessionId });
    return session?.token ?? null;
  }

  /** Ends every session of a person, except the one that is named. */
  async endAll(userId: string, exceptId: string | null = null): Promise<void> {
    await this.dataSource.getRepository(SessionEntity).delete({ userId, ...(exceptId !== null && { id: Not(exceptId) }) });
  }

  /**
   * Has a session that was not prolonged for a day last for these seconds from now on, but not beyond its end (trigger `bound_session`).
   * @returns its token, null if another request has prolonged it, or it has ended
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
   * Replaces a session that is due for it by one with a new token, and ends the person's other sessions. The old token works for
   * another 30 seconds, for requests that the browser has sent already. Of several requests at once only one renews the session.
   * @returns the new token, null if another request has renewed the session
   */
  async renew(sessionId: string): Promise<string | null> {
    const token = randomBytes(24).toString('base64url');
    const renewed = await this.dataSource.query<object[]>(
      `with due as (
         select * from auth.session where id = $1 and "renewalDue" for update
       ), old as (
         update auth.session s -- of today, so that no use prolongs it
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
   * Ends what belongs to a session that has ended, so that whoever signs out does not stay in by it: the sessions that were replaced and
   * only live out their 30 seconds, and where it was one of them, the one that replaced it, which has the same sign-in's time. A tab may
   * still send the old token when the browser has the new one.
   */
  async endRenewals(userId: string, createdAt: Date): Promise<void> {
    await this.dataSource.query(
      `delete from auth.session
        where "userId" = $1 and ("expiresAt" < now() + interval '30 seconds' or date_trunc('milliseconds', "createdAt") = $2)`,
      [userId, createdAt],
    );
  }

  /** Deletes what has expired. better-auth does so only with the rows that a request happens to read. */
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
