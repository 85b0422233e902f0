import { createReadStream } from 'node:fs';
import type { ClientBase } from 'pg';
import { storeRejectedRows } from '../../releases/catalogue/rejected-rows.js';
import type { LoadPlan } from '../plan/plan-load.js';
import type { RejectedRow } from '../write/batch-writer.js';
import { Spool } from '../write/spool.js';

const partBytes = 256 * 1024;
// Shows what is wrong with a file. All of its rows may be rejected, and nothing was published that they would have to account for.
const failedBytes = 16 * 1024 ** 2;

/**
 * Keeps rejected rows in a file while the records are copied, as lines of JSON: number, reason, the row, and its file when several are
 * loaded. At the end of the load they are stored with the release. The file is created with the first row.
 */
export class RejectsFile {
  private spool: Spool | undefined;
  private storedIfFailed = 0;
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
    const line = { number, file: this.names[source], reason: detail ? `${reason} (${detail})` : reason, row: properties };
    await explained(async () => {
      this.spool ??= await Spool.open();
      await this.spool.add(Buffer.from(`${JSON.stringify(line)}\n`));
      this.noteWritten(this.spool);
    });
  }

  /** Stores the rows, within the transaction that publishes the release: a failure here must prevent that. */
  async store(db: ClientBase): Promise<void> {
    await explained(() => this.storeUpTo(db, ({ bytes }) => bytes));
  }

  /** Stores the first rows of a failed load. */
  async storeFirst(db: ClientBase): Promise<void> {
    await this.storeUpTo(db, () => this.storedIfFailed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.spool?.[Symbol.asyncDispose]();
  }

  private async storeUpTo(db: ClientBase, bytesOf: (spool: Spool) => number): Promise<void> {
    const { spool } = this;
    await spool?.flush();
    if (!spool || spool.bytes === 0) return;
    this.noteWritten(spool);
    await storeRejectedRows(db, this.releaseId, createReadStream(spool.path, { end: bytesOf(spool) - 1, highWaterMark: partBytes }));
  }

  /** Lines are written whole, so each of these numbers is the end of one. */
  private noteWritten({ bytes }: Spool): void {
    if (this.storedIfFailed === 0 || bytes <= failedBytes) this.storedIfFailed = bytes;
  }
}

async function explained(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    throw new Error(`The rejected rows could not be saved (${(cause as Error).message}): nothing was published.`, { cause });
  }
}
