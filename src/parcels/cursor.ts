import { createHmac, timingSafeEqual } from 'node:crypto';

/** Where a page starts, and for whom the page before it was read. */
export interface CursorPosition {
  releaseId: number;
  ordinal: number;
}

const numberBytes = 8;
// The head of the token's id: enough to tell readers apart.
const readerBytes = 6;
const signatureBytes = 14;

/**
 * Cursors name a release and an ordinal, and who was given them; signed, so that nobody makes one up to read a release that is no
 * longer offered. Whoever holds one may go on in a current release; in a superseded one only the token that began it.
 */
export class Cursors {
  /** @param secrets the first signs; all are honoured, for the time in which the secret is changed */
  constructor(private readonly secrets: string[]) {}

  write({ releaseId, ordinal }: CursorPosition, tokenId: string): string {
    const [secret] = this.secrets as [string];
    const body = Buffer.alloc(numberBytes + readerBytes);
    body.writeUInt32BE(releaseId, 0);
    body.writeUInt32BE(ordinal, 4);
    readerOf(tokenId).copy(body, numberBytes);
    return Buffer.concat([body, sign(body, secret)]).toString('base64url');
  }

  /** @returns null for what we did not write */
  read(cursor: string, tokenId: string): (CursorPosition & { isOfCaller: boolean }) | null {
    const bytes = Buffer.from(cursor, 'base64url');
    if (bytes.length !== numberBytes + readerBytes + signatureBytes || bytes.toString('base64url') !== cursor) return null;
    const body = bytes.subarray(0, numberBytes + readerBytes);
    if (!this.secrets.some((secret) => timingSafeEqual(sign(body, secret), bytes.subarray(body.length)))) return null;
    return {
      releaseId: body.readUInt32BE(0),
      ordinal: body.readUInt32BE(4),
      isOfCaller: readerOf(tokenId).equals(body.subarray(numberBytes)),
    };
  }
}

const readerOf = (tokenId: string): Buffer => Buffer.from(tokenId.replaceAll('-', '').slice(0, 2 * readerBytes), 'hex');

const sign = (body: Buffer, secret: string): Buffer =>
  createHmac('sha256', secret).update('cursor').update(body).digest().subarray(0, signatureBytes);
