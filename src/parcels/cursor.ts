import { createHmac, timingSafeEqual } from 'node:crypto';

/** Where a page starts. */
export interface CursorPosition {
  releaseId: number;
  ordinal: number;
}

/** The token that presents a cursor. Servers before this one put the token's id into it; such a cursor stays good for that token. */
interface Caller {
  balanceId: string;
  tokenId: string;
}

const numberBytes = 8;
// The first bytes of the balance's id: enough to tell owners apart. With the numbers a multiple of three, as base64 wants it.
const ownerBytes = 7;
const bodyBytes = numberBytes + ownerBytes;
const bodyLength = 20;
const signatureLength = 20;

/**
 * A cursor names a release, an ordinal and the balance of the token that was given it. It is signed, so that nobody can make one up.
 * Only the tokens of that balance can use it: a new trial starts from the first record, not where the last trial stopped.
 */
export class Cursors {
  /** @param secrets the first signs; all are honoured, for the time in which the secret is changed */
  constructor(private readonly secrets: string[]) {}

  write({ releaseId, ordinal }: CursorPosition, balanceId: string): string {
    const [secret] = this.secrets as [string];
    const bytes = Buffer.alloc(bodyBytes);
    bytes.writeUInt32BE(releaseId, 0);
    bytes.writeUInt32BE(ordinal, 4);
    bytes.write(headOf(balanceId), numberBytes, 'hex');
    const body = bytes.toString('base64url');
    return body + sign(body, secret);
  }

  /** @returns null for what we did not write */
  read(cursor: string, caller: Caller): (CursorPosition & { isOfCaller: boolean }) | null {
    const body = cursor.slice(0, bodyLength);
    const signature = Buffer.from(cursor.slice(bodyLength));
    if (!this.secrets.some((secret) => isSame(Buffer.from(sign(body, secret)), signature))) return null;
    const bytes = Buffer.from(body, 'base64url');
    const owner = bytes.toString('hex', numberBytes);
    return {
      releaseId: bytes.readUInt32BE(0),
      ordinal: bytes.readUInt32BE(4),
      isOfCaller: owner === headOf(caller.balanceId) || owner === headOf(caller.tokenId),
    };
  }
}

const headOf = (id: string): string => id.replaceAll('-', '').slice(0, 2 * ownerBytes);

const sign = (body: string, secret: string): string =>
  createHmac('sha256', secret).update(`cursor${body}`).digest('base64url').slice(0, signatureLength);

const isSame = (one: Buffer, other: Buffer): boolean => one.length === other.length && timingSafeEqual(one, other);
