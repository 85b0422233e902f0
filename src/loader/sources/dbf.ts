import { isAscii } from 'node:buffer';
import { type FileHandle, open } from 'node:fs/promises';
import { AppError } from '../../errors.js';
import { blankProperties, type Properties, type ReadPosition } from './source.js';
import { decodeText } from './text-encoding.js';

export interface DbfField {
  name: string;
  type: string;
  start: number;
  length: number;
}

interface DbfHeader {
  recordCount: number;
  headerLength: number;
  recordLength: number;
  fields: DbfField[];
}

const windowBytes = 128 * 1024;
const deletedMark = 0x2a;

/** What it takes to read a table's rows. */
export interface DbfLayout {
  fields: DbfField[];
  recordLength: number;
  /** What a `.cpg` file claims. */
  encoding: string | undefined;
}

/** A dBASE table whose rows are read from its file as they stand. */
export class DbfTable {
  private buffer = Buffer.alloc(0);

  private constructor(
    private readonly file: FileHandle,
    private readonly path: string,
    readonly rowCount: number,
    private readonly headerLength: number,
    readonly layout: DbfLayout,
  ) {}

  static async open(path: string, encoding?: string): Promise<DbfTable> {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      const { recordCount, headerLength, recordLength, fields } = await readHeader(file, path, encoding);
      if (headerLength + recordCount * recordLength > size) {
        throw new AppError(
          'invalid_request',
          `${path} is cut: its header promises ${recordCount} rows, it has ${Math.floor((size - headerLength) / recordLength)}.`,
        );
      }
      return new DbfTable(file, path, recordCount, headerLength, { fields, recordLength, encoding });
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** The bytes of some rows, of fewer at the end. They are written over by the next ones. */
  async read(first: number, wanted: number, position: ReadPosition): Promise<Buffer> {
    const { recordLength } = this.layout;
    const length = Math.max(0, Math.min(wanted, this.rowCount - first)) * recordLength;
    if (length > this.buffer.length) this.buffer = Buffer.allocUnsafeSlow(length);
    const bytes = this.buffer.subarray(0, length);
    const { bytesRead } = await this.file.read(bytes, 0, bytes.length, this.headerLength + first * recordLength);
    // The rest of the buffer is not initialised.
    if (bytesRead < bytes.length) throw new AppError('invalid_request', `${this.path} was cut while it was read.`);
    position.bytesRead += bytes.length;
    return bytes;
  }

  /** How many rows are read at once. */
  get rowsPerWindow(): number {
    return Math.max(1, Math.floor(windowBytes / this.layout.recordLength));
  }

  close(): Promise<void> {
    return this.file.close();
  }
}

/** Rows from their bytes, each when it is asked for; null where one is marked as deleted. */
export function* dbfRows(bytes: Buffer, { fields, recordLength, encoding }: DbfLayout): Iterable<Properties | null> {
  const window = new DbfWindow(bytes, fields, blankProperties(fields.map(({ name }) => name)), encoding);
  for (let start = 0; start < bytes.length; start += recordLength) yield window.row(start);
}

/** Whether bytes at the start of a file are a dBASE table's header: a known version and sizes that fit each other. */
export function isDbf(head: Buffer): boolean {
  if (head.length < 33 || ![0x02, 0x03, 0x04, 0x05, 0x30, 0x31, 0x32, 0x43, 0x63, 0x83, 0x8b, 0x8e, 0xcb, 0xf5].includes(head[0]!))
    return false;
  const headerLength = head.readUInt16LE(8);
  return headerLength >= 65 && head.readUInt16LE(10) > 1 && head[2]! >= 1 && head[2]! <= 12 && head[3]! >= 1 && head[3]! <= 31;
}

async function readHeader(file: FileHandle, path: string, encoding?: string): Promise<DbfHeader> {
  const start = Buffer.alloc(32);
  await file.read(start, 0, 32, 0);
  const headerLength = start.readUInt16LE(8);
  const recordLength = start.readUInt16LE(10);
  if (headerLength < 33 || recordLength < 1) throw new AppError('invalid_request', `${path} is no dBASE table.`);
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
  return { recordCount: start.readUInt32LE(4), headerLength, recordLength, fields };
}

class DbfWindow {
  /** All of the bytes as text, if they are ASCII: values are then cut from it, which is much faster than decoding each. */
  private readonly text: string | null;

  constructor(
    private readonly bytes: Buffer,
    private readonly fields: DbfField[],
    private readonly blank: Properties,
    private readonly encoding: string | undefined,
  ) {
    this.text = isAscii(bytes) ? bytes.toString('latin1') : null;
  }

  row(start: number): Properties | null {
    if (this.bytes[start] === deletedMark) return null;
    const properties = { ...this.blank };
    for (const field of this.fields) properties[field.name] = this.value(field, start + field.start);
    return properties;
  }

  private value({ type, length }: DbfField, start: number): string | number | null {
    const { bytes } = this;
    if (type === 'I') return bytes.readInt32LE(start);
    if (type === 'O') return bytes.readDoubleLE(start);
    let end = start + length;
    while (end > start && bytes[end - 1]! <= 0x20) end--;
    let first = start;
    while (first < end && bytes[first]! <= 0x20) first++;
    if (first === end) return null;
    const text = this.text?.slice(first, end) ?? decodeText(bytes.subarray(first, end), this.encoding);
    if (type === 'N' || type === 'F') return readNumber(text);
    if (type === 'D') return text === '00000000' ? null : text;
    return text;
  }
}

/** Numbers wider than a double holds exactly (long parcel numbers) stay text; asterisks mean that the number did not fit. */
function readNumber(text: string): number | string | null {
  if (text.startsWith('*')) return null;
  if (text.length > 15 && text.replace(/^-?0*/, '').replace(/\..*$/, '').length > 15) return text.replace(/\.0*$/, '');
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}
