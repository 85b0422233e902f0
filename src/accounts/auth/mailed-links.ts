import { createHash, randomBytes } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { MailedLinkEntity } from '../identity/mailed-link.entity.js';

/** A link that still works. */
export interface OpenLink {
  userId: string;
  /** The address that it proves. */
  email: string;
  /** `confirm change` is the first of the two links of a change of address: it goes to the old address, and sends the second. */
  purpose: 'verify' | 'confirm change' | 'change';
}

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

  /** Looks at a link without using it up; null: it was used, has expired or was withdrawn, or never was one. */
  async find(secret: string): Promise<OpenLink | null> {
    const link = await this.row(secret);
    if (!link) return null;
    const { email, updateTo, requestType } = claimsOf(link.auth_token);
    const purpose = updateTo === undefined ? 'verify' : requestType === 'change-email-confirmation' ? 'confirm change' : 'change';
    return { userId: link.user_id, email: updateTo ?? email, purpose };
  }

  /**
   * Uses the link up. Returns better-auth's token; null if the link was used, has expired or was withdrawn, or never was one.
   * @param signedInId who opens it: better-auth changes no address of anybody else, so a link for that stays good for its owner
   */
  async use(secret: string, signedInId?: string, within = this.dataSource.manager): Promise<string | null> {
    const link = await this.row(secret, within);
    const isOfOther = link && signedInId !== undefined && signedInId !== link.user_id;
    if (isOfOther && changesAddress(link.auth_token)) return link.auth_token;
    const [rows] = await within.query<[{ auth_token: string }[], number]>(
      'delete from auth.mailed_link where secret_hash = $1 and expires_at > service_now() returning auth_token',
      [hashOf(secret)],
    );
    return rows[0]?.auth_token ?? null;
  }

  async prune(): Promise<void> {
    await this.dataSource.query('delete from auth.mailed_link where expires_at < service_now()');
  }

  private async row(secret: string, within = this.dataSource.manager): Promise<{ user_id: string; auth_token: string } | undefined> {
    const [link] = await within.query<{ user_id: string; auth_token: string }[]>(
      'select user_id, auth_token from auth.mailed_link where secret_hash = $1 and expires_at > service_now()',
      [hashOf(secret)],
    );
    return link;
  }
}

const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** What better-auth's token says, a JWT. */
const claimsOf = (token: string): { email: string; updateTo?: string; requestType?: string } =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());

/** Whether a link changes an address rather than verifies one. */
export const changesAddress = (token: string): boolean => claimsOf(token).updateTo !== undefined;
