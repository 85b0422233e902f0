import { createHash } from 'node:crypto';

/** A mailed link that gives an account another e-mail address. */
export interface EmailChange {
  userId: string;
  issuedAt: Date;
}

/** What the token of a mailed link claims (it is a JWT, whose signature better-auth checks); null: no change of address. */
export function emailChangeOf(token: unknown): EmailChange | null {
  try {
    const claims = JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString());
    if (typeof claims.updateTo !== 'string') return null;
    return { userId: String(claims.userId), issuedAt: new Date(Number(claims.iat) * 1000) };
  } catch {
    return null;
  }
}

/** The key under which a limit counts the uses of a link: a hash, since the link itself could still be opened. */
export const linkKey = (token: string): string => `link ${createHash('sha256').update(token).digest('base64url')}`;
