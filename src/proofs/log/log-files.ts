import { tilePath } from '../verifier/verify-ledger.js';
import { LogStore } from './log.store.js';
import { chunkSize, levelsBetween } from './tree.js';

/** A file of the log. */
export interface LogFile {
  body: Buffer | string;
  /** Whether it never changes. */
  isFinal: boolean;
}

const tilePattern = /^tile\/(entries|\d|[1-5]\d|6[0-3])\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

/** The log as C2SP's static tiles: https://c2sp.org/tlog-tiles. */
export class LogFiles {
  constructor(private readonly log: LogStore) {}

  /**
   * @param folder of the log: what its origin has after the last slash
   * @param path of the file in it
   * @returns null: there is no such file
   */
  async file(folder: string, path: string): Promise<LogFile | null> {
    const known = await this.log.originIn(folder);
    const newest = known && (await this.log.newestCheckpoint(known.id));
    if (!newest) return null;
    if (path === 'checkpoint') return { body: newest.note, isFinal: false };
    if (path === 'keys') {
      const leaves = await this.log.keyLeaves(newest.originId);
      return { body: leaves.map(({ text }) => `${text}\n`).join(''), isFinal: false };
    }
    const [, kind, digits, partial] = tilePattern.exec(path) ?? [];
    const [number, width] = [Number(digits?.replaceAll(/\D/g, '')), Number(partial ?? chunkSize)];
    const level = kind === 'entries' ? 0 : Number(kind);
    const range = { start: number * chunkSize, end: number * chunkSize + width };
    if (!kind || path !== tilePath(kind === 'entries' ? kind : level, number, width)) return null;
    if (range.end > Math.floor(newest.size / chunkSize ** level)) return null;
    const parts =
      kind === 'entries'
        ? (await this.log.leaves(newest.originId, range)).flatMap(entryOfBundle)
        : await this.log.hashes(newest.originId, levelsBetween * level, range);
    return { body: Buffer.concat(parts), isFinal: true };
  }
}

/** An entry with its length before it. */
function entryOfBundle(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  return [Buffer.of(bytes.length >> 8, bytes.length & 255), bytes];
}
