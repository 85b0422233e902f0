import type { ByteWriter } from '../records/byte-writer.js';

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
export function writeCopyInteger(out: ByteWriter, value: number): void {
  out.int32(4);
  out.int32(value);
}
