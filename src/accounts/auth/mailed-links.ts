import { createHash, randomBytes } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { MailedLinkEntity } from '../identity/mailed-link.entity.js';

/**
 * Links that verify or change an address, each good for one use. better-auth's own are signed tokens that work any number of times
 * until they expire, however they are spelled. So a link carries a secret of ours, and its token stays in the database until it is used.
 */
export class MailedLinks {
  constructor(private readonly dataSource: DataSource) {}

  /** @returns better-auth's link with a secret in place of its token */
  async replaceToken(url: string, userId: string, lifetimeSeconds: number): Promise<string> {
    const link = new URL(url);
    const authToken = link.searchParams.get('token')!;
    const secret = randomBytes(24).toString('base64url');
    await this.dataSource
      .getRepository(MailedLinkEntity)
      .createQueryBuilder()
      .insert()
      .values({
        secretHash: hashOf(secret),
        userId,
        authToken,
        expiresAt: () => `service_now() + make_interval(secs => ${lifetimeSeconds})`,
      })
      .execute();
    link.searchParams.set('token', secret);
    return link.href;
  }

  /**
   * Uses the link up. Returns better-auth's token; null if the link was used, has expired or was withdrawn, or never was one.
   * @param signedInId who opens it: better-auth changes no address of anybody else, so a link for that stays good for its owner
   */
  async use(secret: string, signedInId?: string): Promise<string | null> {
    const [link] = await this.dataSource.query<{ user_id: string; auth_token: string }[]>(
      'select user_id, auth_token from auth.mailed_link where secret_hash = $1 and expires_at > service_now()',
      [hashOf(secret)],
    );
    const isOfOther = link && signedInId !== undefined && signedInId !== link.user_id;
    if (isOfOther && changesAddress(link.auth_token)) return link.auth_token;
    const [rows] = await this.dataSource.query<[{ auth_token: string }[], number]>(
      'delete from auth.mailed_link where secret_hash = $1 and expires_at > service_now() returning auth_token',
      [hashOf(secret)],
    );
    return rows[0]?.auth_token ?? null;
  }

  async prune(): Promise<void> {
    await this.dataSource.query('delete from auth.mailed_link where expires_at < service_now()');
  }
}

const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Whether a link changes an address rather than verifies one: what its token says, a JWT that better-auth made. */
export function changesAddress(token: string): boolean {
  const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
  return claims.updateTo !== undefined;
}
