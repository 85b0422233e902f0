import type { ByteWriter } from '../records/byte-writer.js';
import { copyInteger } from './binary-copy.js';

// A row of `copy parcel (release_id, ordinal, apn, record)` in COPY's binary format: the number of its columns, and each one behind its length.
const columns = 4;
const ordinalAt = 2 + 8 + 4;
const apnLengthAt = ordinalAt + 4;
const apnAt = apnLengthAt + 4;
const lengthBytes = 4;

/** Begins a row whose ordinal is not known yet. Returns where its record's text starts, which is to be written next. */
export function beginRow(out: ByteWriter, releaseId: number, apn: string | null): number {
  out.int16(columns);
  copyInteger(out, releaseId);
  copyInteger(out, 0);
  if (apn === null) out.int32(-1);
  else {
    const start = out.length + lengthBytes;
    out.int32(0);
    out.utf8(apn);
    endText(out, start);
  }
  out.int32(0);
  return out.length;
}

/** Ends a text that was written behind its length. */
export function endText(out: ByteWriter, start: number): void {
  out.int32At(start - lengthBytes, out.length - start);
}

/** Goes through rows that stand one after the other. */
export class ParcelRows {
  /** Where the present row's record starts, and where it ends, and with it the row. */
  textStart = 0;
  end = 0;
  private start = 0;
  private bytes: Buffer = Buffer.alloc(0);

  /** To the row that starts at a position. */
  turnTo(bytes: Buffer, start: number): void {
    const apnLength = bytes.readInt32BE(start + apnLengthAt);
    this.bytes = bytes;
    this.start = start;
    this.textStart = start + apnAt + Math.max(0, apnLength) + lengthBytes;
    this.end = this.textStart + bytes.readInt32BE(this.textStart - lengthBytes);
  }

  number(ordinal: number): void {
    this.bytes.writeInt32BE(ordinal, this.start + ordinalAt);
  }

  get apn(): string | null {
    const { bytes, start, textStart } = this;
    return bytes.readInt32BE(start + apnLengthAt) < 0 ? null : bytes.toString('utf8', start + apnAt, textStart - lengthBytes);
  }

  get text(): string {
    return this.bytes.toString('utf8', this.textStart, this.end);
  }
}
