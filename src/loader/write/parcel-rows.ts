import type { ByteWriter } from '../records/byte-writer.js';

// A row of `copy parcel (release_id, ordinal, apn, record)` in COPY's binary format: the number of columns, then each value after its length.
const columns = 4;
const ordinalAt = 2 + 8 + 4;
const apnLengthAt = ordinalAt + 4;
const apnAt = apnLengthAt + 4;
const lengthBytes = 4;

/** Begins a row without its ordinal. Returns where the record's text starts, which the caller writes next. */
export function beginRow(out: ByteWriter, releaseId: number, apn: string | null): number {
  out.int16(columns);
  writeCopyInteger(out, releaseId);
  writeCopyInteger(out, 0);
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

/** Fills in the length before a text that ends here. */
export function endText(out: ByteWriter, start: number): void {
  out.int32At(start - lengthBytes, out.length - start);
}

/** A cursor over consecutive rows. */
export class ParcelRows {
  /** Where the current row's record starts. */
  textStart = 0;
  /** Where the record ends, and the row with it. */
  end = 0;
  private start = 0;
  private bytes: Buffer = Buffer.alloc(0);

  /** Moves to the row that starts at a position. */
  moveTo(bytes: Buffer, start: number): void {
    const apnLength = bytes.readInt32BE(start + apnLengthAt);
    this.bytes = bytes;
    this.start = start;
    this.textStart = start + apnAt + Math.max(0, apnLength) + lengthBytes;
    this.end = this.textStart + bytes.readInt32BE(this.textStart - lengthBytes);
  }

  setOrdinal(ordinal: number): void {
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

// Eleven bytes that identify the format, and reveal changed line ends. Flags and the length of an extension follow.
const signature = 'PGCOPY\n\xff\r\n\0';

/** The header of COPY's binary format. */
export function writeCopyHeader(out: ByteWriter): void {
  out.ascii(signature);
  out.int32(0);
  out.int32(0);
}

/** Follows the last row. */
export function writeCopyTrailer(out: ByteWriter): void {
  out.int16(-1);
}

/** A value of an integer column. */
function writeCopyInteger(out: ByteWriter, value: number): void {
  out.int32(4);
  out.int32(value);
}
