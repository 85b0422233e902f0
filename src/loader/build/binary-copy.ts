import type { ByteWriter } from '../records/byte-writer.js';

// Its eleven bytes tell the format from a text, also where a transfer has changed line ends; flags and an extension's length follow.
const signature = 'PGCOPY\n\xff\r\n\0';

/** What COPY's binary format begins with. */
export function copyHeader(out: ByteWriter): void {
  out.ascii(signature);
  out.int32(0);
  out.int32(0);
}

/** Behind the last row. */
export function copyEnd(out: ByteWriter): void {
  out.int16(-1);
}

/** A column of type integer. */
export function copyInteger(out: ByteWriter, value: number): void {
  out.int32(4);
  out.int32(value);
}
