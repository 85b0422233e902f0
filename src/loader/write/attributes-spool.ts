import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClientBase } from 'pg';
import { type TemporaryFolder, temporaryFolder } from '../formats/archives/temporary-folder.js';
import { ByteWriter } from '../records/byte-writer.js';
import { CopyWriter } from '../staging/copy-writer.js';
import type { Texts } from './batch-writer.js';
import { writeCopyHeader, writeCopyInteger, writeCopyTrailer } from './parcel-rows.js';

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
  /** How long each object is, and where every hundredth begins in the file. */
  private lengths = new Uint32Array(1 << 12);
  private readonly runStarts: number[] = [];
  private count = 0;
  private bytes = 0;

  private constructor(
    private readonly folder: TemporaryFolder,
    private readonly file: FileHandle,
  ) {}

  static async open(): Promise<AttributesSpool> {
    const folder = await temporaryFolder();
    return new AttributesSpool(folder, await open(join(folder.path, 'attributes'), 'w+'));
  }

  /** Adds JSON objects, one per record, in the order of the file. */
  async add({ bytes, ends }: Texts): Promise<void> {
    let start = 0;
    for (const end of ends) {
      if (this.count % recordsPerRun === 0) this.runStarts.push(this.bytes);
      if (this.count === this.lengths.length) {
        const longer = new Uint32Array(2 * this.count);
        longer.set(this.lengths);
        this.lengths = longer;
      }
      this.lengths[this.count++] = end - start;
      this.bytes += end - start;
      start = end;
    }
    this.out.copyOf(bytes, 0, start);
    if (this.out.length >= chunkBytes) await this.flush();
  }

  private async flush(): Promise<void> {
    await this.file.appendFile(this.out.written());
    this.out.length = 0;
  }

  /**
   * Copies everything into its table. Call once, after the records are copied.
   * @param recordsBefore how many records of the release come before these
   * @param positions by ordinal, where each record stood in the file; null if they stand in order
   */
  async copyInto(db: ClientBase, releaseId: number, recordsBefore: number, positions: Int32Array | null): Promise<void> {
    await this.flush();
    const { out } = this;
    const copy = new CopyWriter(
      db,
      'copy parcel_attributes (release_id, first_ordinal, last_ordinal, attributes) from stdin (format binary)',
    );
    try {
      writeCopyHeader(out);
      for (let first = 0; first < this.count; first += recordsPerRun) {
        const end = Math.min(first + recordsPerRun, this.count);
        out.int16(columns);
        writeCopyInteger(out, releaseId);
        writeCopyInteger(out, recordsBefore + first + 1);
        writeCopyInteger(out, recordsBefore + end);
        out.int32(0);
        const textStart = out.length;
        for (const objects of await this.readRun(first, end, positions)) {
          out.ascii(out.length === textStart ? '[' : ',');
          out.copyOf(objects, 0, objects.length);
        }
        out.ascii(']');
        out.int32At(textStart - 4, out.length - textStart);
        if (out.length < chunkBytes) continue;
        await copy.write(out.written());
        out.length = 0;
      }
      writeCopyTrailer(out);
      await copy.write(out.written());
      await copy.finish();
    } catch (error) {
      await copy.abort();
      throw error;
    }
  }

  /** The objects of consecutive ordinals. Those that stood side by side in the file are read together. */
  private async readRun(first: number, end: number, positions: Int32Array | null): Promise<Buffer[]> {
    const objects: Buffer[] = [];
    const positionOf = (index: number) => positions?.[index] ?? index;
    for (let index = first; index < end; ) {
      const from = positionOf(index);
      let together = 1;
      while (index + together < end && positionOf(index + together) === from + together) together++;
      const lengths = this.lengths.subarray(from, from + together);
      const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + length, 0));
      await this.file.read(bytes, 0, bytes.length, this.offsetOf(from));
      let start = 0;
      for (const length of lengths) {
        objects.push(bytes.subarray(start, start + length));
        start += length;
      }
      index += together;
    }
    return objects;
  }

  private offsetOf(position: number): number {
    const run = Math.floor(position / recordsPerRun);
    const before = this.lengths.subarray(run * recordsPerRun, position);
    return this.runStarts[run]! + before.reduce((sum, length) => sum + length, 0);
  }

  async close(): Promise<void> {
    await this.file.close();
    await this.folder.remove();
  }
}
