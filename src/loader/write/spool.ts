import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { type TemporaryFolder, temporaryFolder } from '../formats/archives/temporary-folder.js';
import { ByteWriter } from '../records/byte-writer.js';

const chunkBytes = 64 * 1024;

/** A temporary file of lines that wait for the end of the COPY: a connection does one at a time, and the whole load is one transaction. */
export class Spool {
  /** How many bytes are in the file. */
  bytes = 0;
  private readonly out = new ByteWriter();

  private constructor(
    private readonly folder: TemporaryFolder,
    readonly path: string,
    private readonly file: FileHandle,
  ) {}

  static async open(): Promise<Spool> {
    const folder = await temporaryFolder();
    const path = join(folder.path, 'lines');
    return new Spool(folder, path, await open(path, 'w'));
  }

  async add(lines: Buffer): Promise<void> {
    this.out.copyOf(lines, 0, lines.length);
    if (this.out.length >= chunkBytes) await this.flush();
  }

  /** Writes what was added, so that the file can be read. */
  async flush(): Promise<void> {
    const lines = this.out.written();
    this.out.length = 0;
    await this.file.appendFile(lines);
    this.bytes += lines.length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.file.close().catch(() => {}); // the file is of no use any more, and its folder has to go
    await this.folder.remove();
  }
}
