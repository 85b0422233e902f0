import { createHash } from 'node:crypto';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { AppError } from '../../core/errors.js';
import type { BackupTable, SequenceState } from './tables.js';

const format = 'parcel-records backup 1';
// Level 6 takes twice as long for a sixth less.
const gzipLevel = 1;
const largestBlockBytes = 256 * 1024;
const lengthBytes = 4;

export interface BackupHeader {
  /** Of the service that made it. */
  version: string;
  /** The moment of its snapshot. */
  takenAt: string;
  migrations: string[];
  /** The newest migration of the job library. */
  jobMigration: number;
  tables: Pick<BackupTable, 'name' | 'columns'>[];
}

interface TableEnd {
  rows: number;
  sha256: string;
}

export interface BackupEnd {
  /** In the header's order. */
  tables: TableEnd[];
  sequences: SequenceState[];
}

/** Rows as Postgres' COPY writes them; `rowCount` is known at the end. */
export type CopiedRows = AsyncIterable<Buffer> & { rowCount: number };

/**
 * Writes a backup: gzip over blocks, each preceded by its length in 4 bytes. The header, the rows of each table and an empty block, then
 * counts and digests, which are known only after the rows.
 */
export async function writeBackup(
  output: Writable,
  header: BackupHeader,
  rowsOf: (table: BackupHeader['tables'][number]) => CopiedRows,
  sequences: () => Promise<SequenceState[]>,
): Promise<BackupEnd> {
  const tables: TableEnd[] = [];
  let end: BackupEnd | undefined;
  async function* content(): AsyncGenerator<Buffer> {
    const first = Buffer.from(JSON.stringify({ format, ...header }));
    yield* framed(first);
    yield lengthOf(0);
    for (const table of header.tables) {
      const hash = createHash('sha256');
      const rows = rowsOf(table);
      for await (const chunk of rows) {
        hash.update(chunk);
        yield* framed(chunk);
      }
      yield lengthOf(0);
      tables.push({ rows: rows.rowCount, sha256: hash.digest('hex') });
    }
    end = { tables, sequences: await sequences() };
    yield* framed(Buffer.from(JSON.stringify({ headerSha256: sha256(first), ...end })));
    yield lengthOf(0);
  }
  await pipeline(content, createGzip({ level: gzipLevel }), output);
  return end!;
}

/** Receives the rows of a table. */
export interface RowSink {
  write(chunk: Buffer): Promise<void>;
  end(): Promise<void>;
}

/**
 * Reads a backup to its end.
 * @param sinkOf called for each table in turn; without it the rows are only checked
 * @throws AppError if it is no backup, was cut off or was changed
 */
export async function readBackup(
  input: AsyncIterable<Buffer>,
  sinkOf?: (table: BackupHeader['tables'][number], header: BackupHeader) => Promise<RowSink>,
): Promise<{ header: BackupHeader; end: BackupEnd }> {
  const blocks = blocksOf(input);
  try {
    const first = await textBlock(blocks);
    const header = headerOf(first);
    const tables: TableEnd[] = [];
    for (const table of header.tables) tables.push(await readTable(blocks, await sinkOf?.(table, header)));
    const { headerSha256, ...end } = JSON.parse((await textBlock(blocks)).toString()) as BackupEnd & { headerSha256: string };
    if (headerSha256 !== sha256(first)) throw damaged('its header was changed');
    header.tables.forEach(({ name }, at) => {
      const [found, expected] = [tables[at]!, end.tables[at]!];
      if (found.sha256 !== expected.sha256 || found.rows !== expected.rows) throw damaged(`the rows of ${name} were changed`);
    });
    if (!(await blocks.next()).done) throw damaged('something follows its end');
    return { header, end };
  } catch (error) {
    throw error instanceof SyntaxError ? damaged(error.message) : error;
  } finally {
    await blocks.return(undefined);
  }
}

async function readTable(blocks: AsyncGenerator<Buffer>, sink: RowSink | undefined): Promise<TableEnd> {
  const hash = createHash('sha256');
  let rows = 0;
  for (let block = await nextBlock(blocks); block.length > 0; block = await nextBlock(blocks)) {
    hash.update(block);
    // One row a line: COPY writes a newline within a value as \n.
    for (let at = block.indexOf(newline); at !== -1; at = block.indexOf(newline, at + 1)) rows++;
    await sink?.write(block);
  }
  await sink?.end();
  return { rows, sha256: hash.digest('hex') };
}

const newline = 10;

function headerOf(block: Buffer): BackupHeader {
  const header = JSON.parse(block.toString()) as BackupHeader & { format: string };
  if (header.format !== format) throw damaged(`its format is "${header.format}", not "${format}"`);
  return header;
}

/** Several blocks until an empty one. */
async function textBlock(blocks: AsyncGenerator<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let block = await nextBlock(blocks); block.length > 0; block = await nextBlock(blocks)) parts.push(block);
  return Buffer.concat(parts);
}

async function nextBlock(blocks: AsyncGenerator<Buffer>): Promise<Buffer> {
  const { value, done } = await blocks.next();
  if (done) throw damaged('its end is missing');
  return value;
}

async function* blocksOf(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: largestBlockBytes });
  const reading = pipeline(input, gunzip);
  reading.catch(() => {}); // the loop below throws it, too
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      while (rest.length >= lengthBytes) {
        const length = rest.readUInt32BE();
        if (length > largestBlockBytes) throw damaged('it is no backup of this service');
        if (rest.length < lengthBytes + length) break;
        yield rest.subarray(lengthBytes, lengthBytes + length);
        rest = rest.subarray(lengthBytes + length);
      }
    }
  } catch (cause) {
    const { code = '', message } = cause as Error & { code?: string };
    if (!code.startsWith('Z_')) throw cause;
    throw damaged(code === 'Z_BUF_ERROR' ? 'its end is missing' : message);
  }
  if (rest.length > 0) throw damaged('its end is missing');
}

function* framed(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += largestBlockBytes) {
    const block = bytes.subarray(at, at + largestBlockBytes);
    yield lengthOf(block.length);
    yield block;
  }
}

function lengthOf(length: number): Buffer {
  const bytes = Buffer.alloc(lengthBytes);
  bytes.writeUInt32BE(length);
  return bytes;
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const damaged = (why: string): AppError =>
  new AppError('invalid_request', `This backup cannot be used: ${why}. Nothing was restored: take another copy of it, or an older one.`);
