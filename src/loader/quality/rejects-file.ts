import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClientBase } from 'pg';
import { storeRejectedRows } from '../../releases/catalogue/rejected-rows.js';
import { type TemporaryFolder, temporaryFolder } from '../formats/archives/temporary-folder.js';
import type { LoadPlan } from '../plan/plan-load.js';
import type { RejectedRow } from '../write/batch-writer.js';

const chunkCharacters = 64 * 1024;
const partBytes = 256 * 1024;
// Shows what is wrong with a file. All of its rows may be rejected, and nothing was published that they would have to account for.
const failedBytes = 16 * 1024 ** 2;
/**
 * Keeps rejected rows in a file while the records are copied, as lines of JSON: number, reason, the row, and its file when several are
 * loaded. At the end of the load they are stored with the release. The file is created with the first row.
 */
export class RejectsFile {
  private folder: TemporaryFolder | undefined;
  private file: FileHandle | undefined;
  private bytes = 0;
  private storedIfFailed = 0;
  private buffered = '';
  private readonly names: string[];

  /** A joined row comes from two files, so it names none. */
  constructor(
    readonly releaseId: number,
    { sources, join }: Pick<LoadPlan, 'sources' | 'join'>,
  ) {
    this.names = sources.length > 1 && join === null ? sources.map(({ source }) => source.name) : [];
  }

  /** @throws Error saying in a sentence why the file cannot be written */
  async add({ row: { number, properties }, rejection: { reason, detail }, source }: RejectedRow): Promise<void> {
    this.file ??= await this.attempt(() => this.create());
    this.buffered += `${JSON.stringify({ number, file: this.names[source], reason: detail ? `${reason} (${detail})` : reason, row: properties })}\n`;
    if (this.buffered.length >= chunkCharacters) await this.flush();
  }

  /** Stores the rows, within the transaction that publishes the release: a failure here must prevent that. */
  async store(db: ClientBase): Promise<void> {
    await this.flush();
    await this.attempt(() => this.storeUpTo(db, this.bytes));
  }

  /** Stores the first rows of a failed load. */
  async storeFirst(db: ClientBase): Promise<void> {
    await this.flush();
    await this.storeUpTo(db, this.storedIfFailed);
  }

  async close(): Promise<void> {
    await this.file?.close().catch(() => {});
    await this.folder?.remove();
  }

  private async storeUpTo(db: ClientBase, bytes: number): Promise<void> {
    if (bytes === 0) return;
    await storeRejectedRows(db, this.releaseId, createReadStream(this.path, { end: bytes - 1, highWaterMark: partBytes }));
  }

  private async flush(): Promise<void> {
    const { file, buffered } = this;
    this.buffered = '';
    if (!file || !buffered) return;
    await this.attempt(() => file.appendFile(buffered));
    this.bytes += Buffer.byteLength(buffered);
    if (this.storedIfFailed === 0 || this.bytes <= failedBytes) this.storedIfFailed = this.bytes;
  }

  private async create(): Promise<FileHandle> {
    this.folder = await temporaryFolder();
    return open(this.path, 'w');
  }

  private get path(): string {
    return join(this.folder!.path, 'rejected.ndjson');
  }

  private async attempt<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      throw new Error(`The rejected rows could not be saved (${(cause as Error).message}): nothing was published.`, { cause });
    }
  }
}
