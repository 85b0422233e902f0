import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { refusal } from '../../../core/errors.js';
import type { Cells, ReadPosition } from '../source-row.js';
import { decodeText } from '../text-encoding.js';
import { tableEncoding } from './dbf-encoding.js';

export interface DbfField {
  name: string;
  type: string;
  start: number;
  length: number;
}

const windowBytes = 128 * 1024;
const deletedMark = 0x2a;

/** The layout by which a table's rows are parsed. */
export interface DbfLayout {
  fields: DbfField[];
  recordLength: number;
  /** The encoding stated by the `.cpg` or the header. */
  encoding: string | undefined;
}

interface DbfHeader extends DbfLayout {
  recordCount: number;
  headerLength: number;
  warnings: string[];
}

/** An open dBASE table whose rows are read as unparsed bytes. */
export class DbfTable {
  private buffer = Buffer.alloc(0);

  private constructor(
    private readonly file: FileHandle,
    private readonly path: string,
    readonly layout: DbfHeader,
  ) {}

  get rowCount(): number {
    return this.layout.recordCount;
  }

  /** @param label the content of the table's `.cpg` */
  static async open(path: string, label: string | undefined): Promise<DbfTable> {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      const header = await readHeader(file, path, label);
      const fitting = Math.floor((size - header.headerLength) / header.recordLength);
      if (header.recordCount > fitting) throw refusal(`${path} is cut: its header promises ${header.recordCount} rows, it has ${fitting}.`);
      return new DbfTable(file, path, header);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Reads the bytes of up to `wanted` rows. The next call overwrites them. */
  async read(first: number, wanted: number, position: ReadPosition): Promise<Buffer> {
    const { recordLength, headerLength } = this.layout;
    const length = Math.max(0, Math.min(wanted, this.rowCount - first)) * recordLength;
    if (length > this.buffer.length) this.buffer = Buffer.allocUnsafeSlow(length);
    const bytes = this.buffer.subarray(0, length);
    const { bytesRead } = await this.file.read(bytes, 0, bytes.length, headerLength + first * recordLength);
    // The rest of the buffer is not initialised.
    if (bytesRead < bytes.length) throw refusal(`${this.path} was cut while it was read.`);
    position.bytesRead += bytes.length;
    return bytes;
  }

  /** How many rows are read at once if the table is read by itself. */
  get rowsPerWindow(): number {
    return Math.max(1, Math.floor(windowBytes / this.layout.recordLength));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.file.close();
  }
}

/** Parses rows lazily; null for a row marked as deleted. */
export function* dbfRows(bytes: Buffer, { fields, recordLength, encoding }: DbfLayout): Iterable<Cells | null> {
  const window = new DbfWindow(bytes, fields, encoding);
  for (let start = 0; start < bytes.length; start += recordLength) yield window.row(start);
}

/** Whether a file starts with a dBASE header: a known version and plausible sizes and date. */
export function isDbf(head: Buffer): boolean {
  if (head.length < 33 || ![0x02, 0x03, 0x04, 0x05, 0x30, 0x31, 0x32, 0x43, 0x63, 0x83, 0x8b, 0x8e, 0xcb, 0xf5].includes(head[0]!))
    return false;
  const headerLength = head.readUInt16LE(8);
  return headerLength >= 65 && head.readUInt16LE(10) > 1 && head[2]! >= 1 && head[2]! <= 12 && head[3]! >= 1 && head[3]! <= 31;
}

async function readHeader(file: FileHandle, path: string, label: string | undefined): Promise<DbfHeader> {
  const start = Buffer.alloc(32);
  await file.read(start, 0, 32, 0);
  const headerLength = start.readUInt16LE(8);
  const recordLength = start.readUInt16LE(10);
  if (headerLength < 33 || recordLength < 1) throw refusal(`${path} is not a dBASE table.`);
  const { name: encoding, warnings } = tableEncoding(basename(path), label, start[29]!);
  const descriptors = Buffer.alloc(headerLength - 32);
  await file.read(descriptors, 0, descriptors.length, 32);
  const fields: DbfField[] = [];
  let fieldStart = 1;
  for (let i = 0; i + 32 <= descriptors.length && descriptors[i] !== 0x0d; i += 32) {
    const nameEnd = descriptors.indexOf(0, i);
    const name = decodeText(descriptors.subarray(i, Math.min(nameEnd < 0 ? i + 11 : nameEnd, i + 11)), encoding).trim();
    const length = descriptors[i + 16]!;
    fields.push({ name, type: String.fromCharCode(descriptors[i + 11]!), start: fieldStart, length });
    fieldStart += length;
  }
  // If two fields have one name, the last one counts.
  const distinct = [...new Map(fields.map((field) => [field.name, field])).values()];
  const unsupported = distinct.filter(isUnsupported).map(({ name }) => name);
  return {
    recordCount: start.readUInt32LE(4),
    headerLength,
    recordLength,
    fields: distinct.filter((field) => !isUnsupported(field)),
    encoding,
    warnings: unsupported.length === 0 ? warnings : [...warnings, unsupportedWarning(basename(path), unsupported)],
  };
}

/** Memos, pictures and objects, which are stored in another file, and FoxPro's binary money, times, doubles, bytes and flags. */
const isUnsupported = ({ type }: DbfField): boolean => 'MGPWYTBQ0'.includes(type);

const unsupportedWarning = (table: string, columns: string[]): string =>
  `${table} has columns that are left out, because their values are in another file (memos) or in binary form: ${columns.join(', ')}. ` +
  'To load them, export the table with them as text or numbers.';

/** Four bytes of padding, which makes up most of a table. */
const fourSpaces = 0x20202020;

class DbfWindow {
  private readonly view: DataView;
  private readonly columns: string[];
  /** A row's values without padding, and where each one ends. */
  private readonly packed: Buffer;
  private readonly ends: Int32Array;

  constructor(
    private readonly bytes: Buffer,
    private readonly fields: DbfField[],
    private readonly encoding: string | undefined,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.columns = fields.map(({ name }) => name);
    this.packed = Buffer.allocUnsafe(fields.reduce((sum, { length }) => sum + length, 0));
    this.ends = new Int32Array(fields.length);
  }

  row(start: number): Cells | null {
    const { bytes, columns, fields } = this;
    if (bytes[start] === deletedMark) return null;
    const text = this.asciiText(start);
    const values = text === null ? fields.map((field) => this.value(field, start)) : this.valuesIn(text, start);
    return { columns, values };
  }

  /** All values as one string: slicing it is much faster than decoding each value. Null unless all of it is ASCII. */
  private asciiText(start: number): string | null {
    const { bytes, fields, packed, ends } = this;
    let length = 0;
    let bits = 0;
    for (let i = 0; i < fields.length; i++) {
      const field = fields[i]!;
      const end = this.endOf(field, start);
      for (let at = this.startOf(field, start, end); at < end; at++) {
        const byte = bytes[at]!;
        packed[length++] = byte;
        bits |= byte;
      }
      ends[i] = length;
    }
    return bits > 0x7f ? null : packed.toString('latin1', 0, length);
  }

  private valuesIn(text: string, start: number): unknown[] {
    const { fields, ends } = this;
    const values: unknown[] = [];
    let first = 0;
    for (let i = 0; i < fields.length; i++) {
      const field = fields[i]!;
      const end = ends[i]!;
      values.push(isBinary(field) ? this.number(field, start) : first === end ? null : typedValue(field, text.slice(first, end)));
      first = end;
    }
    return values;
  }

  private value(field: DbfField, start: number): unknown {
    if (isBinary(field)) return this.number(field, start);
    const end = this.endOf(field, start);
    const first = this.startOf(field, start, end);
    return first >= end ? null : typedValue(field, decodeText(this.bytes.subarray(first, end), this.encoding));
  }

  private number(field: DbfField, start: number): number {
    const at = start + field.start;
    return field.type === 'I' ? this.bytes.readInt32LE(at) : this.bytes.readDoubleLE(at);
  }

  /** Where a field's value ends, without padding. */
  private endOf(field: DbfField, rowStart: number): number {
    const { bytes, view } = this;
    const start = rowStart + field.start;
    let end = Math.min(start + field.length, bytes.length); // a damaged header may promise more
    while (end - 4 >= start && view.getInt32(end - 4) === fourSpaces) end -= 4;
    while (end > start && bytes[end - 1]! <= 0x20) end--;
    return end;
  }

  private startOf(field: DbfField, rowStart: number, end: number): number {
    const { bytes, view } = this;
    let start = rowStart + field.start;
    while (start + 4 <= end && view.getInt32(start) === fourSpaces) start += 4;
    while (start < end && bytes[start]! <= 0x20) start++;
    return start;
  }
}

const isBinary = ({ type }: DbfField): boolean => type === 'I' || type === 'O';

function typedValue({ type }: DbfField, text: string): string | number | null {
  if (type === 'N' || type === 'F') return readNumber(text);
  if (type === 'D') return text === '00000000' ? null : text;
  return text;
}

/** Numbers that a double can't hold exactly (long parcel numbers) stay text; asterisks mean that the number did not fit its field. */
function readNumber(text: string): number | string | null {
  if (text.startsWith('*')) return null;
  if (text.length > 15 && mayLoseDigits(text)) return text.replace(/\.0*$/, '');
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}

/** Whether a number has more digits than a double, or than were written: ArcGIS writes `1.23456789012e+013`, without the last two digits. */
function mayLoseDigits(text: string): boolean {
  const [, decimals, exponent] = /^-?\d\.(\d+)e\+(\d+)$/i.exec(text) ?? [];
  if (decimals !== undefined) return Number(exponent) > decimals.length;
  return text.replace(/^-?0*/, '').replace(/\..*$/, '').length > 15;
}
