import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClientBase } from 'pg';
import { copyEnd, copyHeader, copyInteger } from '../build/binary-copy.js';
import type { Texts } from '../build/built-batch.js';
import { type TemporaryFolder, temporaryFolder } from '../formats/archives/temporary-folder.js';
import { ByteWriter } from '../records/byte-writer.js';
import { CopyWriter } from '../staging/copy-writer.js';
import { asBuffer } from '../values/as-buffer.js';

/** Of one run, which Postgres compresses as one text: the same hundred keys and many of the values come again and again. */
const recordsPerRun = 100;
const chunkBytes = 64 * 1024;
const columns = 4;

/**
 * What was published beside the records of a release, kept in a file while they are copied: a connection does one COPY at a time, and
 * all of a load is one transaction.
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
    copyHeader(this.out);
  }

  static async open(releaseId: number): Promise<AttributesSpool> {
    const folder = await temporaryFolder();
    return new AttributesSpool(releaseId, folder, await open(pathIn(folder), 'w'));
  }

  /** Takes JSON objects, one a record, in the order in which the records are numbered. */
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
      copyInteger(out, this.releaseId);
      copyInteger(out, this.ordinal + 1);
      copyInteger(out, 0);
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

  /** Copies everything into its table. To be called once, after the records are copied. */
  async copyInto(db: ClientBase): Promise<void> {
    if (this.recordsInRun > 0) this.endRun();
    copyEnd(this.out);
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
