import { type FileHandle, open } from 'node:fs/promises';
import { AppError } from '../../errors.js';
import type { Properties, ReadPosition } from './source.js';
import { decodeText } from './text-encoding.js';

interface DbfField {
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

const windowBytes = 1024 * 1024;
const deletedMark = 0x2a;

/** The rows of a dBASE table in their order; null where a row is marked as deleted. `encoding` is what a `.cpg` file claims. */
export async function* readDbf(path: string, position: ReadPosition, encoding?: string): AsyncIterable<(Properties | null)[]> {
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
    const rowsPerWindow = Math.max(1, Math.floor(windowBytes / recordLength));
    for (let first = 0; first < recordCount; first += rowsPerWindow) {
      const count = Math.min(rowsPerWindow, recordCount - first);
      const bytes = Buffer.allocUnsafe(count * recordLength);
      const { bytesRead } = await file.read(bytes, 0, bytes.length, headerLength + first * recordLength);
      // The rest of the buffer is not initialised.
      if (bytesRead < bytes.length) throw new AppError('invalid_request', `${path} was cut while it was read.`);
      position.bytesRead += bytes.length;
      yield Array.from({ length: count }, (_, i) => readRow(bytes.subarray(i * recordLength, (i + 1) * recordLength), fields, encoding));
    }
  } finally {
    await file.close();
  }
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

function readRow(bytes: Buffer, fields: DbfField[], encoding?: string): Properties | null {
  if (bytes[0] === deletedMark) return null;
  const properties: Properties = {};
  for (const field of fields) properties[field.name] = readValue(bytes, field, encoding);
  return properties;
}

function readValue(bytes: Buffer, { type, start, length }: DbfField, encoding?: string): string | number | null {
  if (type === 'I') return bytes.readInt32LE(start);
  if (type === 'O') return bytes.readDoubleLE(start);
  let end = start + length;
  while (end > start && bytes[end - 1]! <= 0x20) end--;
  let first = start;
  while (first < end && bytes[first]! <= 0x20) first++;
  if (first === end) return null;
  const text = decodeText(bytes.subarray(first, end), encoding);
  if (type === 'N' || type === 'F') return readNumber(text);
  if (type === 'D') return text === '00000000' ? null : text;
  return text;
}

/** Numbers wider than a double holds exactly (long parcel numbers) stay text; asterisks mean that the number did not fit. */
function readNumber(text: string): number | string | null {
  if (text.startsWith('*')) return null;
  const digits = text.replace(/^-?0*/, '').replace(/\..*$/, '');
  if (digits.length > 15) return text.replace(/\.0*$/, '');
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}
