import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClientBase } from 'pg';
import { writeCopyHeader, writeCopyInteger, writeCopyTrailer } from '../build/binary-copy.js';
import type { Texts } from '../build/built-batch.js';
import { asBuffer } from '../build/built-batch.js';
import { type TemporaryFolder, temporaryFolder } from '../formats/archives/temporary-folder.js';
import { ByteWriter } from '../records/byte-writer.js';
import { CopyWriter } from '../staging/copy-writer.js';

/** Postgres compresses a run as one text, in which the same keys and many values repeat. */
const recordsPerRun = 100;
const chunkBytes = 64 * 1024;
const columns = 4;

/**
 * Keeps the unmapped columns of a release in a file while its records are copied: a connection does one COPY at a time, and the whole load
 * is one transaction.
 */
export class AttributesSpool {
  private readonly out = new ByteWriter();
  private ordinal = 0;
  private recordsInRun = 0;
  private runStart = 0;

  private constructor(
    private readonly releaseId: number,
    private readonly folder: TemporaryFolder,
    private readonly file: FileHandle,
  ) {
    writeCopyHeader(this.out);
  }

  static async open(releaseId: number): Promise<AttributesSpool> {
    const folder = await temporaryFolder();
    return new AttributesSpool(releaseId, folder, await open(pathIn(folder), 'w'));
  }

  /** Adds JSON objects, one per record, in the order of the ordinals. */
  async add({ bytes, ends }: Texts): Promise<void> {
    const objects = asBuffer(bytes);
    let start = 0;
    for (const end of ends) {
      this.addObject(objects, start, end);
      if (this.isFull) await this.flush();
      start = end;
    }
  }

  private addObject(bytes: Buffer, start: number, end: number): void {
    const { out } = this;
    if (this.recordsInRun === 0) {
      this.runStart = out.length;
      out.int16(columns);
      writeCopyInteger(out, this.releaseId);
      writeCopyInteger(out, this.ordinal + 1);
      writeCopyInteger(out, 0);
      out.int32(0);
      out.ascii('[');
    } else out.ascii(',');
    out.copyOf(bytes, start, end);
    this.ordinal++;
    this.recordsInRun++;
    if (this.recordsInRun === recordsPerRun) this.endRun();
  }

  private get isFull(): boolean {
    return this.recordsInRun === 0 && this.out.length >= chunkBytes;
  }

  private async flush(): Promise<void> {
    await this.file.appendFile(this.out.written());
    this.out.length = 0;
  }

  /** Copies everything into its table. Call once, after the records are copied. */
  async copyInto(db: ClientBase): Promise<void> {
    if (this.recordsInRun > 0) this.endRun();
    writeCopyTrailer(this.out);
    await this.flush();
    const copy = new CopyWriter(
      db,
      'copy parcel_attributes (release_id, first_ordinal, last_ordinal, attributes) from stdin (format binary)',
    );
    try {
      for await (const chunk of createReadStream(pathIn(this.folder)) as AsyncIterable<Buffer>) await copy.write(chunk);
      await copy.finish();
    } catch (error) {
      await copy.abort();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.file.close();
    await this.folder.remove();
  }

  private endRun(): void {
    const { out, runStart } = this;
    out.ascii(']');
    const lastOrdinalAt = runStart + 2 + 8 + 8 + 4;
    const textAt = lastOrdinalAt + 4 + 4;
    out.int32At(lastOrdinalAt, this.ordinal);
    out.int32At(textAt - 4, out.length - textAt);
    this.recordsInRun = 0;
  }
}

const pathIn = ({ path }: TemporaryFolder): string => join(path, 'attributes');
