import { crc32 } from 'node:zlib';
import { addedFields } from '../../releases/record-fields/record-fields.js';
import { idStart } from '../records/disambiguate-ids.js';

/**
 * A record's digest: half of its id, which is a hash, and a CRC-32 of its text without the part that all records of a release share, and
 * without trailing nulls, so that it does not depend on the version of the record.
 */
export const digestBytes = 12;
const idBytes = 8;

// Source, date and release always differ from the release before. No value contains `,"`, because quotes within strings are escaped.
const commonPart = Buffer.from(',"source":');
const afterCommon = Buffer.from(`,"${addedFields[0]!.name}":`);
// In reverse order.
const blanks = addedFields.map(({ name }) => Buffer.from(`,"${name}":null`)).reverse();
const allBlank = Buffer.concat(blanks.toReversed());

const pieceBytes = digestBytes * 8 * 1024;

/** The digests of a release's records, in order. They show which records are in another release, and which differ there. */
export class RecordDigests {
  private readonly pieces: Buffer[] = [];
  private piece = Buffer.alloc(0);
  private at = 0;

  /** Adds a record's text, which ends with a newline. */
  add(text: Buffer): void {
    if (this.at === this.piece.length) {
      this.piece = Buffer.allocUnsafeSlow(pieceBytes);
      this.pieces.push(this.piece);
      this.at = 0;
    }
    const { piece, at } = this;
    piece.writeInt32BE(idPrefix(text, 0), at);
    piece.writeInt32BE(idSecondWord(text, 0), at + 4);
    piece.writeUInt32BE(textSum(text), at + idBytes);
    this.at += digestBytes;
  }

  all(): Buffer {
    const unused = this.piece.length - this.at;
    return Buffer.concat(this.pieces, this.pieces.length * pieceBytes - unused);
  }
}

/** @param text ends with a newline */
function textSum(text: Buffer): number {
  const common = text.lastIndexOf(commonPart);
  const sum = crc32(text.subarray(0, common));
  const start = text.indexOf(afterCommon, common);
  if (start < 0) return sum;
  let end = text.length - '}\n'.length;
  if (end - start === allBlank.length && allBlank.compare(text, start, end) === 0) return sum;
  for (const blank of blanks) {
    const before = end - blank.length;
    if (before < start || blank.compare(text, before, end) !== 0) break;
    end = before;
  }
  return crc32(text.subarray(start, end), sum);
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
