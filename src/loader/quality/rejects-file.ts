import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RejectedRow } from '../build/built-batch.js';
import { isNoParcel } from '../formats/tables/non-parcel-rows.js';
import type { LoadPlan } from '../plan/plan-load.js';
import { byFrequency, frequentReasons } from '../values/row-reasons.js';

const chunkCharacters = 64 * 1024;
// Shapes that can't be read may each have a reason of their own.
const countedReasons = 1000;

/**
 * The file of rejected rows: number, reason and the row itself, one a line, and of which file it is where several are loaded at once.
 * Created with the first of them.
 */
export class RejectsFile {
  private file: FileHandle | undefined;
  private buffered = '';
  private readonly names: string[];
  private readonly rowsByReason = new Map<string, number>();
  private noParcels = 0;

  /** Rows of a join are of two files, so they name none. */
  constructor(
    readonly path: string,
    { sources, join }: Pick<LoadPlan, 'sources' | 'join'>,
  ) {
    this.names = sources.length > 1 && join === null ? sources.map(({ source }) => source.name) : [];
  }

  get isEmpty(): boolean {
    return this.file === undefined;
  }

  /** Of the rows added, those that the county did not mean as parcels. */
  get noParcelCount(): number {
    return this.noParcels;
  }

  /** For an operator: the most frequent reasons. */
  get reasons(): string[] {
    const reasons = byFrequency(this.rowsByReason).map(([reason, rows]) => ({ reason, rows }));
    return frequentReasons(reasons, 'rejected');
  }

  /** @throws Error saying in a sentence why the file cannot be written */
  async add({ row: { number, properties }, rejection: { reason, detail }, source }: RejectedRow): Promise<void> {
    const rows = this.rowsByReason.get(reason) ?? 0;
    if (rows > 0 || this.rowsByReason.size < countedReasons) this.rowsByReason.set(reason, rows + 1);
    if (isNoParcel(reason)) this.noParcels++;
    this.file ??= await this.attempt(() => this.create());
    this.buffered += `${JSON.stringify({ number, file: this.names[source], reason: detail ? `${reason} (${detail})` : reason, row: properties })}\n`;
    if (this.buffered.length >= chunkCharacters) await this.flush();
  }

  /** Writes what is left. To be called before the release is published, which a failure here must prevent. */
  async finish(): Promise<void> {
    await this.flush();
    if (this.file) await this.attempt(() => this.file!.close());
  }

  /** Closes the file without writing what is left. */
  async close(): Promise<void> {
    await this.file?.close().catch(() => {});
  }

  private async flush(): Promise<void> {
    const { file, buffered } = this;
    this.buffered = '';
    if (file && buffered) await this.attempt(() => file.appendFile(buffered));
  }

  private async create(): Promise<FileHandle> {
    await mkdir(dirname(this.path), { recursive: true });
    return open(this.path, 'w');
  }

  private async attempt<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      throw new Error(`The rejected rows cannot be written down (${(cause as Error).message}): nothing was published.`, { cause });
    }
  }
}

export const rejectsFolder = (dataDir: string): string => join(dataDir, 'rejects');

/** Where the rejects of a release are, on the machine that loaded it. */
export const rejectsPath = (dataDir: string, countyFips: string, releaseId: number): string =>
  join(rejectsFolder(dataDir), `${countyFips}-${releaseId}.ndjson`);

/** The release whose rejects are at a path; NaN for a file that is no such thing. */
export const releaseOfRejects = (path: string): number => Number(/-(\d{1,9})\.ndjson$/.exec(path)?.[1] ?? Number.NaN);
