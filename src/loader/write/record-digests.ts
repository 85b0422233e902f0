import { crc32 } from 'node:zlib';
import { idStart } from '../records/disambiguate-ids.js';

/** A record's digest: half of its id, which is a hash, and a CRC-32 of its text up to the part that all records of a release share. */
export const digestBytes = 12;
const idBytes = 8;

// Source, date and release always differ from the release before. No value contains `,"`, because quotes within strings are escaped.
const commonPart = Buffer.from(',"source":');

const pieceBytes = digestBytes * 8 * 1024;

/** The digests of a release's records, in order. They show which records are in another release, and which differ there. */
export class RecordDigests {
  private readonly pieces: Buffer[] = [];
  private piece = Buffer.alloc(0);
  private at = 0;

  /** Adds a record's text. */
  add(text: Buffer): void {
    if (this.at === this.piece.length) {
      this.piece = Buffer.allocUnsafeSlow(pieceBytes);
      this.pieces.push(this.piece);
      this.at = 0;
    }
    const { piece, at } = this;
    piece.writeInt32BE(firstOfId(text, 0), at);
    piece.writeInt32BE(secondOfId(text, 0), at + 4);
    piece.writeUInt32BE(crc32(text.subarray(0, text.lastIndexOf(commonPart))), at + idBytes);
    this.at += digestBytes;
  }

  all(): Buffer {
    const unused = this.piece.length - this.at;
    return Buffer.concat(this.pieces, this.pieces.length * pieceBytes - unused);
  }
}

/** The first four bytes of the id of the record whose text starts at a position. */
export const firstOfId = (bytes: Buffer, start: number): number => hexDigits(bytes, start + idStart, 8);

/** The next four bytes. The id's first two dashes follow its first eight and twelve digits. */
export const secondOfId = (bytes: Buffer, start: number): number =>
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
