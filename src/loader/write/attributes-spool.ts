import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { type TemporaryFolder, temporaryFolder } from '../formats/archives/temporary-folder.js';
import { ByteWriter } from '../records/byte-writer.js';
import type { ReleaseTarget } from './parcel-copy.js';

/** Postgres compresses a run as one text, in which the same keys and many values repeat. */
const recordsPerRun = 100;
const chunkBytes = 64 * 1024;

/**
 * Keeps the unmapped columns of a release in a file while its records are copied: a connection does one COPY at a time, and the whole load
 * is one transaction.
 */
export class AttributesSpool {
  private readonly out = new ByteWriter();

  private constructor(
    private readonly folder: TemporaryFolder,
    private readonly path: string,
    private readonly file: FileHandle,
  ) {}

  static async open(): Promise<AttributesSpool> {
    const folder = await temporaryFolder();
    const path = join(folder.path, 'attributes');
    return new AttributesSpool(folder, path, await open(path, 'w'));
  }

  /** Adds lines of JSON, one object per record, in the order of the file. */
  async add(lines: Buffer): Promise<void> {
    this.out.copyOf(lines, 0, lines.length);
    if (this.out.length >= chunkBytes) await this.flush();
  }

  private async flush(): Promise<void> {
    await this.file.appendFile(this.out.written());
    this.out.length = 0;
  }

  /**
   * Copies everything into its table. Call once, after the records are copied.
   * @param ordinals of the records in the order of the file; null if they are 1, 2, 3, …
   */
  async copyInto({ db, releaseId, placement }: ReleaseTarget, ordinals: Int32Array | null): Promise<void> {
    await this.flush();
    await db.query('create temp table spooled (place integer generated always as identity, attributes text) on commit drop');
    // JSON has neither of these characters, so nothing in it is a quote or a delimiter.
    const copy = `copy spooled (attributes) from stdin (format csv, quote e'\\x01', delimiter e'\\x02')`;
    await pipeline(createReadStream(this.path), db.query(copyFrom(copy)));
    await db.query(
      `insert into parcel_attributes (release_id, first_ordinal, last_ordinal, attributes)
       select $1, min(ordinal), max(ordinal), '[' || string_agg(attributes, ',' order by ordinal) || ']'
         from (select $2::integer + coalesce(($3::integer[])[place], place) as ordinal, attributes from spooled) placed
        group by (ordinal - $2::integer - 1) / ${recordsPerRun}`,
      [releaseId, placement.recordsBefore, ordinals && `{${ordinals.join()}}`],
    );
  }

  async close(): Promise<void> {
    await this.file.close();
    await this.folder.remove();
  }
}
