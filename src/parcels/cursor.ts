import { createHmac, timingSafeEqual } from 'node:crypto';

/** Where a page starts. */
export interface CursorPosition {
  releaseId: number;
  ordinal: number;
}

const numberBytes = 8;
// The first bytes of the balance's id: enough to tell owners apart, and with the numbers a multiple of three, which base64 needs.
const ownerBytes = 7;
const bodyBytes = numberBytes + ownerBytes;
const bodyLength = 20;
const signatureLength = 20;

/**
 * A cursor names a release, an ordinal and the balance of the token that received it. It is signed, so that nobody can forge one.
 * Only tokens of that balance can use it, and paid ones of its account: a new trial starts at the first record, not where the last one stopped.
 */
export class Cursors {
  /** @param secrets the first signs; all verify, so that a secret can be rotated */
  constructor(private readonly secrets: string[]) {}

  write({ releaseId, ordinal }: CursorPosition, balanceId: string): string {
    const [secret] = this.secrets as [string];
    const bytes = Buffer.alloc(bodyBytes);
    bytes.writeUInt32BE(releaseId, 0);
    bytes.writeUInt32BE(ordinal, 4);
    bytes.write(ownerOf(balanceId), numberBytes, 'hex');
    const body = bytes.toString('base64url');
    return body + sign(body, secret);
  }

  /** @returns null for a cursor that we did not sign. `owner`: as `ownerOf` names its balance */
  read(cursor: string): (CursorPosition & { owner: string }) | null {
    const body = cursor.slice(0, bodyLength);
    const signature = Buffer.from(cursor.slice(bodyLength));
    if (!this.secrets.some((secret) => isSame(Buffer.from(sign(body, secret)), signature))) return null;
    const bytes = Buffer.from(body, 'base64url');
    return {
      releaseId: bytes.readUInt32BE(0),
      ordinal: bytes.readUInt32BE(4),
      owner: bytes.toString('hex', numberBytes),
    };
  }
}

/** The digits of a balance's id that a cursor names. */
export const ownerOf = (balanceId: string): string => balanceId.replaceAll('-', '').slice(0, 2 * ownerBytes);

const sign = (body: string, secret: string): string =>
  createHmac('sha256', secret).update(`cursor${body}`).digest('base64url').slice(0, signatureLength);

const isSame = (one: Buffer, other: Buffer): boolean => one.length === other.length && timingSafeEqual(one, other);
