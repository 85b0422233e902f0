import { crc32 } from 'node:zlib';
import { idStart } from '../records/disambiguate-ids.js';

/** Of a record: half of its id, whose bits are a hash's, and a CRC-32 of its text up to what a release's records have in common. */
export const digestBytes = 12;
const idBytes = 8;

// Source, date and release differ from those of the release before. No value has `,"` in it, since quotes within texts have a backslash
// before them.
const commonPart = Buffer.from(',"source":');

const pieceBytes = digestBytes * 8 * 1024;

/** Digests of a release's records in their order: enough to tell which of them are in another release, and which differ there. */
export class RecordDigests {
  private readonly pieces: Buffer[] = [];
  private piece = Buffer.alloc(0);
  private at = 0;

  /** Takes the record whose text these bytes are. */
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

/** The first four bytes of the id of a record, whose text starts at a position. */
export const firstOfId = (bytes: Buffer, start: number): number => hexDigits(bytes, start + idStart, 8);

/** The next four. The id's first two dashes stand behind its first eight and twelve digits. */
export const secondOfId = (bytes: Buffer, start: number): number =>
  (hexDigits(bytes, start + idStart + 9, 4) << 16) | hexDigits(bytes, start + idStart + 14, 4);

/** At most eight of them, as the bits of an integer. */
function hexDigits(text: Buffer, start: number, count: number): number {
  let bits = 0;
  for (let i = start; i < start + count; i++) {
    const code = text[i]!;
    bits = (bits << 4) | (code < 0x3a ? code - 0x30 : code - 0x57);
  }
  return bits;
}
