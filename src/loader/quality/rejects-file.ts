import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RejectedRow } from '../build/built-batch.js';
import { isNonParcelReason } from '../formats/tables/non-parcel-rows.js';
import type { LoadPlan } from '../plan/plan-load.js';
import { byFrequency, frequentReasons } from '../values/row-reasons.js';

const chunkCharacters = 64 * 1024;
// Each unreadable shape may have its own reason.
const countedReasons = 1000;

/**
 * Writes rejected rows as lines of JSON: number, reason, the row, and its file when several are loaded. The file is created with the first
 * row.
 */
export class RejectsFile {
  private file: FileHandle | undefined;
  private buffered = '';
  private readonly names: string[];
  private readonly rowsByReason = new Map<string, number>();
  private noParcels = 0;

  /** A joined row comes from two files, so it names none. */
  constructor(
    readonly path: string,
    { sources, join }: Pick<LoadPlan, 'sources' | 'join'>,
  ) {
    this.names = sources.length > 1 && join === null ? sources.map(({ source }) => source.name) : [];
  }

  get isEmpty(): boolean {
    return this.file === undefined;
  }

  /** How many of the rows are titles, footers and the like, not parcels. */
  get noParcelCount(): number {
    return this.noParcels;
  }

  /** The most frequent reasons, as sentences. */
  get reasons(): string[] {
    const reasons = byFrequency(this.rowsByReason).map(([reason, rows]) => ({ reason, rows }));
    return frequentReasons(reasons, 'rejected');
  }

  /** @throws Error saying in a sentence why the file cannot be written */
  async add({ row: { number, properties }, rejection: { reason, detail }, source }: RejectedRow): Promise<void> {
    const rows = this.rowsByReason.get(reason) ?? 0;
    if (rows > 0 || this.rowsByReason.size < countedReasons) this.rowsByReason.set(reason, rows + 1);
    if (isNonParcelReason(reason)) this.noParcels++;
    this.file ??= await this.attempt(() => this.create());
    this.buffered += `${JSON.stringify({ number, file: this.names[source], reason: detail ? `${reason} (${detail})` : reason, row: properties })}\n`;
    if (this.buffered.length >= chunkCharacters) await this.flush();
  }

  /** Flushes and closes. Called before the release is published: a failure here must prevent that. */
  async finish(): Promise<void> {
    await this.flush();
    if (this.file) await this.attempt(() => this.file!.close());
  }

  /** Closes without flushing. */
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
      throw new Error(`The rejected rows could not be saved (${(cause as Error).message}): nothing was published.`, { cause });
    }
  }
}

export const rejectsFolder = (dataDir: string): string => join(dataDir, 'rejects');

/** The path of a release's rejects file, on the machine that loaded it. */
export const rejectsPath = (dataDir: string, countyFips: string, releaseId: number): string =>
  join(rejectsFolder(dataDir), `${countyFips}-${releaseId}.ndjson`);

/** The release of a rejects file; NaN for other paths. */
export const releaseOfRejects = (path: string): number => Number(/-(\d{1,9})\.ndjson$/.exec(path)?.[1] ?? Number.NaN);
