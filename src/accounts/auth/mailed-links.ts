import { createHash, randomBytes } from 'node:crypto';
import type { DataSource } from 'typeorm';

/** A link that still works. */
export interface OpenLink {
  userId: string;
  /** The address that the link proves. */
  email: string;
  /** `confirm change` is the first of two links of a change of address. It goes to the old address; opening it sends the second link. */
  purpose: 'verify' | 'confirm change' | 'change';
  /** better-auth's signed token, which says what opening the link does. */
  authToken: string;
}

/**
 * Links that verify or change an address, each good for one use. better-auth's own links carry a signed token that works any number of
 * times until it expires. Our links carry a random secret instead; the token stays in the database until the link is used.
 * In SQL, because the deletion of a link's row decides who uses it, and the database's clock whether it has expired.
 */
export class MailedLinks {
  constructor(private readonly dataSource: DataSource) {}

  /** @returns better-auth's link with a secret in place of its token */
  async replaceToken(url: string, userId: string, lifetimeSeconds: number): Promise<string> {
    const link = new URL(url);
    const secret = randomBytes(24).toString('base64url');
    await this.dataSource.query(
      `insert into auth.mailed_link (secret_hash, user_id, auth_token, expires_at)
       values ($1, $2, $3, service_now() + make_interval(secs => $4))`,
      [hashOf(secret), userId, link.searchParams.get('token'), lifetimeSeconds],
    );
    link.searchParams.set('token', secret);
    return link.href;
  }

  /** Reads a link without using it up. Null if it was used, expired or withdrawn, or never existed. */
  async find(secret: string, within = this.dataSource.manager): Promise<OpenLink | null> {
    const [link] = await within.query<Pick<OpenLink, 'userId' | 'authToken'>[]>(
      `select user_id as "userId", auth_token as "authToken" from auth.mailed_link where secret_hash = $1 and expires_at > service_now()`,
      [hashOf(secret)],
    );
    if (!link) return null;
    const { email, updateTo, requestType } = claimsOf(link.authToken);
    const purpose = updateTo === undefined ? 'verify' : requestType === 'change-email-confirmation' ? 'confirm change' : 'change';
    return { ...link, email: updateTo ?? email, purpose };
  }

  /**
   * Uses the link up. Returns better-auth's token; null if the link was used, expired or withdrawn, or never existed.
   * @param signedInId the signed-in account. better-auth refuses to change the address of another account, so such a link stays valid
   */
  async use(secret: string, signedInId?: string, within = this.dataSource.manager): Promise<string | null> {
    const link = signedInId === undefined ? null : await this.find(secret, within);
    if (link && link.userId !== signedInId && link.purpose !== 'verify') return link.authToken;
    const [rows] = await within.query<[{ auth_token: string }[], number]>(
      'delete from auth.mailed_link where secret_hash = $1 and expires_at > service_now() returning auth_token',
      [hashOf(secret)],
    );
    return rows[0]?.auth_token ?? null;
  }
}

const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** The claims of better-auth's token, a JWT. */
const claimsOf = (token: string): { email: string; updateTo?: string; requestType?: string } =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());

/** Whether a link changes an address rather than verifies one. */
export const changesAddress = (token: string): boolean => claimsOf(token).updateTo !== undefined;
