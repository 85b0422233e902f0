import { createHmac, timingSafeEqual } from 'node:crypto';

/** Where a page starts, and for whom the page before it was read. */
export interface CursorPosition {
  releaseId: number;
  ordinal: number;
}

const numberBytes = 8;
// The head of the token's id: enough to tell readers apart. With the numbers a multiple of three, as base64 wants it.
const readerBytes = 7;
const bodyBytes = numberBytes + readerBytes;
const bodyLength = 20;
const signatureLength = 20;

/**
 * Cursors name a release and an ordinal, and who was given them; signed, so that nobody makes one up to read a release that is no
 * longer offered. Whoever holds one may go on in a current release; in a superseded one only the token that began it.
 */
export class Cursors {
  /** @param secrets the first signs; all are honoured, for the time in which the secret is changed */
  constructor(private readonly secrets: string[]) {}

  write({ releaseId, ordinal }: CursorPosition, tokenId: string): string {
    const [secret] = this.secrets as [string];
    const bytes = Buffer.alloc(bodyBytes);
    bytes.writeUInt32BE(releaseId, 0);
    bytes.writeUInt32BE(ordinal, 4);
    bytes.write(readerOf(tokenId), numberBytes, 'hex');
    const body = bytes.toString('base64url');
    return body + sign(body, secret);
  }

  /** @returns null for what we did not write */
  read(cursor: string, tokenId: string): (CursorPosition & { isOfCaller: boolean }) | null {
    const body = cursor.slice(0, bodyLength);
    const signature = Buffer.from(cursor.slice(bodyLength));
    if (!this.secrets.some((secret) => isSame(Buffer.from(sign(body, secret)), signature))) return null;
    const bytes = Buffer.from(body, 'base64url');
    return {
      releaseId: bytes.readUInt32BE(0),
      ordinal: bytes.readUInt32BE(4),
      isOfCaller: bytes.toString('hex', numberBytes) === readerOf(tokenId),
    };
  }
}

const readerOf = (tokenId: string): string => tokenId.replaceAll('-', '').slice(0, 2 * readerBytes);

const sign = (body: string, secret: string): string =>
  createHmac('sha256', secret).update(`cursor${body}`).digest('base64url').slice(0, signatureLength);

const isSame = (one: Buffer, other: Buffer): boolean => one.length === other.length && timingSafeEqual(one, other);
