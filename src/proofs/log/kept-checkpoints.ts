import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Checkpoint, consistencyRanges, inclusionRanges, verifyConsistency, verifyInclusion } from '../verifier/verify-ledger.js';
import { BrokenLog, readTrusted } from './checkpoint.js';
import type { LogStore } from './log.store.js';
import { sha256 } from './tree.js';

export const folderOf = (dataDir: string): string => join(dataDir, 'checkpoints');

/** The checkpoints that this server has seen, in its DATA_DIR: where nobody who has only the database can change them. */
export class KeptCheckpoints {
  readonly folder: string;

  constructor(dataDir: string) {
    this.folder = folderOf(dataDir);
  }

  /** The newest signed note; null: none was kept yet. */
  async newest(): Promise<string | null> {
    const name = (await this.names()).at(-1);
    return name === undefined ? null : readFile(join(this.folder, name), 'utf8');
  }

  /** The oldest one of the newest's log. */
  async oldest(): Promise<string | null> {
    const notes = await Promise.all((await this.names()).map((name) => readFile(join(this.folder, name), 'utf8')));
    const [origin] = notes.at(-1)?.split('\n') ?? [];
    return notes.find((note) => note.startsWith(`${origin}\n`)) ?? null;
  }

  /** Keeps a checkpoint, and drops those that are no longer the first of their hour, day or month. */
  async keep(note: string): Promise<void> {
    const { time } = await readTrusted(note);
    await mkdir(this.folder, { recursive: true });
    const draft = join(this.folder, `.${randomUUID()}`);
    await writeFile(draft, note);
    await rename(draft, join(this.folder, `${new Date(time! / 1000).toISOString().replaceAll(/[-:]/g, '')}.txt`));
    const names = await this.names();
    const needed = neededOf(names);
    for (const name of names) if (!needed.has(name)) await rm(join(this.folder, name), { force: true });
  }

  /** By their times. */
  private async names(): Promise<string[]> {
    const names = await readdir(this.folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return names.filter((name) => /^\d{8}T.+\.txt$/.test(name)).sort();
  }

  /**
   * Verifies that the log has only grown since.
   * @param newest the newest checkpoint of the database, with a signature that was verified
   * @throws BrokenLog
   */
  async verify(log: LogStore, newest: Checkpoint | null): Promise<void> {
    const note = await this.newest();
    if (note === null) return;
    const kept = await readTrusted(note);
    if (newest === null) throw new BrokenLog(`the database has no checkpoint, but ${describe(kept)} is kept in DATA_DIR`);
    if (kept.origin === newest.origin) await verifyGrowth(log, kept, newest);
    else await verifySuccession(log, kept, newest);
  }
}

/** The newest, the first ones of the last 24 hours and 31 days that have any, and of every month. */
function neededOf(names: string[]): Set<string | undefined> {
  const firstsOf = (part: string) => names.filter((name, n) => name.slice(0, part.length) !== names[n - 1]?.slice(0, part.length));
  return new Set([...firstsOf('yyyymm'), ...firstsOf('yyyymmdd').slice(-31), ...firstsOf('yyyymmddThh').slice(-24), names.at(-1)]);
}

const describe = ({ origin, size }: Checkpoint) => `one of ${origin} with ${size} leaves`;

/** Our key signed the newest one. So it was the operators who began its log if that begins with the leaf of their command, later. */
async function verifySuccession(log: LogStore, kept: Checkpoint, newest: Checkpoint): Promise<void> {
  const { id } = (await log.origin(newest.origin))!;
  const leaf = (await log.leaf(id, 0)) ?? '';
  const proof = await log.hashesOf(id, newest.size, inclusionRanges(0, { start: 0, end: newest.size }));
  const isOurs = leaf.startsWith('origin ') && newest.time! > kept.time! && verifyInclusion(Buffer.from(leaf), 0, newest, proof, sha256);
  if (!isOurs) throw new BrokenLog(`the log ${newest.origin} does not follow ${kept.origin}, of which a checkpoint is kept in DATA_DIR`);
}

async function verifyGrowth(log: LogStore, kept: Checkpoint, newest: Checkpoint): Promise<void> {
  if (newest.size < kept.size) {
    throw new BrokenLog(`the newest checkpoint of the database has ${newest.size} leaves, but ${describe(kept)} is kept in DATA_DIR`);
  }
  const origin = await log.origin(newest.origin);
  const proof = await log.hashesOf(origin!.id, newest.size, consistencyRanges(kept.size, newest.size));
  if (!verifyConsistency(kept, newest, proof, sha256)) {
    throw new BrokenLog(`the tree of the database does not go on from the one that is kept in DATA_DIR: ${describe(kept)}`);
  }
}
