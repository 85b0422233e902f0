import { contentDigest, digestBytes, idBytes } from '../../releases/record-fields/content-digest.js';
import { idStart } from '../records/disambiguate-ids.js';
import type { Moves } from './move-records.js';

const pieceBytes = digestBytes * 8 * 1024;

/** The digests of a release's records by ordinal. They show which records are in another release, and which differ there. */
export class RecordDigests {
  private readonly pieces: Buffer[] = [];
  private count = 0;

  /** Adds the digest of a record's text. @param ordinal any that has none yet */
  add(text: Buffer, ordinal: number): void {
    const digest = this.of(ordinal);
    digest.writeInt32BE(idPrefix(text, 0), 0);
    digest.writeInt32BE(idSecondWord(text, 0), 4);
    contentDigest(text).copy(digest, idBytes);
    this.count++;
  }

  /** Gives digests other ordinals. */
  move({ from, to }: Moves): void {
    for (const [i, ordinal] of from.entries()) this.of(ordinal).copy(this.of(to[i]!));
  }

  private of(ordinal: number): Buffer {
    const at = (ordinal - 1) * digestBytes;
    while (at >= this.pieces.length * pieceBytes) this.pieces.push(Buffer.allocUnsafeSlow(pieceBytes));
    const start = at % pieceBytes;
    return this.pieces[Math.floor(at / pieceBytes)]!.subarray(start, start + digestBytes);
  }

  /** All of them, once each ordinal from 1 on has one. */
  all(): Buffer {
    return Buffer.concat(this.pieces, this.count * digestBytes);
  }
}

/** The first four bytes of the id of the record whose text starts at a position. */
export const idPrefix = (bytes: Buffer, start: number): number => hexDigits(bytes, start + idStart, 8);

/** The next four bytes. The id's first two dashes follow its first eight and twelve digits. */
export const idSecondWord = (bytes: Buffer, start: number): number =>
  (hexDigits(bytes, start + idStart + 9, 4) << 16) | hexDigits(bytes, start + idStart + 14, 4);

/** Up to eight digits, as the bits of an integer. */
function hexDigits(text: Buffer, start: number, count: number): number {
  let bits = 0;
  for (let i = start; i < start + count; i++) {
    const code = text[i]!;
    bits = (bits << 4) | (code < 0x3a ? code - 0x30 : code - 0x57);
  }
  return bits;
}
