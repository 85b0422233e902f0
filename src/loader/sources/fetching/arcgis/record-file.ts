import { createHash, type Hash } from 'node:crypto';
import { appendFile, type FileHandle, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freeBytes } from '../../../formats/archives/temporary-folder.js';
import { diskFull } from '../source-fault.js';
import type { EsriFeature } from './layer-service.js';

/** How far a fetch is. Written after each page. */
export interface Progress {
  records: number;
  /** Records that came again, and were dropped. */
  repeated: number;
  /** Where the pages continue, in the way named by `way`. */
  way: string;
  position: number;
  /** Object ids of records that the server can't give, at all or with their shapes. */
  unreadable: number[];
  shapeless: number[];
}

/** The file's head or a page. */
interface Block {
  bytes: number;
  sha256: string;
  progress: Progress;
}

// Without a date of the last edit, nothing says that older pages belong to the same data.
const maxAgeMs = 24 * 3_600_000;

/**
 * The file in Esri JSON that pages are added to, and the list of its pages, by which a later run verifies and continues it. Each record is
 * there once, by its object id. Only ids are held in memory.
 */
export class RecordFile {
  progress: Progress = { records: 0, repeated: 0, way: '', position: 0, unreadable: [], shapeless: [] };
  bytes = 0;
  readonly seen = new Set<unknown>();
  private hash: Hash = createHash('sha256');

  private constructor(
    private readonly directory: string,
    private readonly handle: FileHandle,
    private readonly idField: string | null,
    private readonly diskBytes: number,
  ) {}

  /**
   * Opens the file of an earlier run, if that had the same plan, otherwise a new one.
   * @param plan what the pages depend on
   * @param diskBytes how large it may grow
   */
  static async open(directory: string, plan: string, idField: string | null, diskBytes: number): Promise<RecordFile> {
    await mkdir(directory, { recursive: true });
    const [path, listPath] = pathsIn(directory);
    const [first, ...lines] = (await readFile(listPath, 'utf8').catch(() => '')).split('\n');
    const [, startedMs = '', oldPlan] = /^(\d+) (.*)$/.exec(first!) ?? [];
    const isSame = oldPlan === plan && Number(startedMs) > Date.now() - maxAgeMs;
    const file = new RecordFile(directory, await open(path, isSame ? 'r+' : 'w'), idField, diskBytes);
    const kept = isSame ? await file.readBlocks(lines) : [];
    await file.handle.truncate(file.bytes);
    await writeFile(listPath, [`${isSame ? startedMs : Date.now()} ${plan}`, ...kept].map((line) => `${line}\n`).join(''));
    return file;
  }

  /**
   * Adds the records of a page that are not there yet.
   * @param head begins the file
   * @param position where to continue after this page
   * @returns how many were added
   */
  async add(features: EsriFeature[], head: string, position = 0): Promise<number> {
    if (this.bytes === 0) await this.write(Buffer.from(`${head}\n`));
    const ofPage = new Map<unknown, Set<string>>();
    const texts: string[] = [];
    for (const feature of features) {
      const text = JSON.stringify(feature);
      const id = this.idOf(feature) ?? sha256(text);
      // A view gives several records with one id, always in one answer. Any other repetition is the server's.
      const others = ofPage.get(id);
      if (others ? others.has(text) : this.seen.has(id)) this.progress.repeated++;
      else texts.push(text);
      if (others) others.add(text);
      else ofPage.set(id, new Set([text]));
    }
    for (const id of ofPage.keys()) this.seen.add(id);
    const isFirst = this.progress.records === 0;
    this.progress.records += texts.length;
    this.progress.position = position;
    await this.write(Buffer.from(texts.length === 0 ? '' : `${isFirst ? '' : ',\n'}${texts.join(',\n')}`));
    return texts.length;
  }

  /** Ends the file and gives it its name. @returns its hash */
  async finish(path: string): Promise<string> {
    await this.append(Buffer.from('\n]}\n'));
    await this.handle.sync();
    await this.handle.close();
    const [partPath, listPath] = pathsIn(this.directory);
    await rename(partPath, path);
    await rm(listPath);
    return this.hash.digest('hex');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.handle.close();
  }

  private async write(block: Buffer): Promise<void> {
    if (block.length > (await freeBytes(this.directory)) || this.bytes + block.length > this.diskBytes) throw diskFull();
    await this.append(block);
    const line: Block = { bytes: block.length, sha256: sha256(block), progress: this.progress };
    await appendFile(pathsIn(this.directory)[1], `${JSON.stringify(line)}\n`);
  }

  /** Reads the blocks of an earlier run, up to the first that is not whole. @returns their lines */
  private async readBlocks(lines: string[]): Promise<string[]> {
    const kept: string[] = [];
    for (const line of lines) {
      const block = blockOf(line);
      if (!block) break;
      const bytes = Buffer.alloc(block.bytes);
      const { bytesRead } = await this.handle.read(bytes, 0, block.bytes, this.bytes);
      if (bytesRead < block.bytes || sha256(bytes) !== block.sha256) break;
      if (kept.length > 0) for (const feature of featuresIn(bytes)) this.seen.add(this.idOf(feature) ?? sha256(JSON.stringify(feature)));
      this.count(bytes);
      this.progress = block.progress;
      kept.push(line);
    }
    return kept;
  }

  private idOf({ attributes }: EsriFeature): unknown {
    return this.idField === null ? undefined : attributes[this.idField];
  }

  private async append(block: Buffer): Promise<void> {
    await this.handle.write(block, 0, block.length, this.bytes);
    this.count(block);
  }

  private count(block: Buffer): void {
    this.hash.update(block);
    this.bytes += block.length;
  }
}

const pathsIn = (directory: string) => [join(directory, '.records.part'), join(directory, '.records.pages')] as const;

const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

/** Null for a line that a killed process did not finish. */
function blockOf(line: string): Block | null {
  try {
    return JSON.parse(line) as Block;
  } catch {
    return null;
  }
}

const featuresIn = (block: Buffer): EsriFeature[] => JSON.parse(`[${block.toString('utf8').replace(/^,/, '')}]`);
