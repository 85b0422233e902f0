import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Checkpoint, verifyConsistency, verifyInclusion } from '../verifier/verify-ledger.js';
import { BrokenLog, type CheckpointKey, readCheckpoint, readTrusted } from './checkpoint.js';
import type { LogStore } from './log.store.js';
import { consistencyRanges, inclusionRanges, sha256 } from './tree.js';

/** The newest checkpoint that this server has seen, in its DATA_DIR: where nobody who has only the database can change it. */
export class KeptCheckpoint {
  private readonly path: string;

  /** @param keys the present one, and the one before */
  constructor(
    private readonly dataDir: string,
    private readonly keys: CheckpointKey[],
  ) {
    this.path = join(dataDir, 'checkpoint');
  }

  /** The signed note; null: none was kept yet. */
  async read(): Promise<string | null> {
    return readFile(this.path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
  }

  async write(note: string): Promise<void> {
    await mkdir(this.dataDir, { recursive: true });
    const draft = `${this.path}.${randomUUID()}`;
    await writeFile(draft, note);
    await rename(draft, this.path);
  }

  /**
   * Verifies that the log has only grown since.
   * @param newest the newest checkpoint of the database, with a signature that was verified
   * @throws BrokenLog
   */
  async verify(log: LogStore, newest: Checkpoint | null): Promise<void> {
    const note = await this.read();
    if (note === null) return;
    const kept = await readTrusted(note);
    if (newest === null) throw new BrokenLog(`the database has no checkpoint, but ${describe(kept)} is kept in DATA_DIR`);
    if (kept.origin === newest.origin) await verifyGrowth(log, kept, newest);
    else await this.verifySuccession(log, kept.origin, newest);
  }

  /** A new origin is of the operators if its signed tree begins with a leaf that names the one before it, back to the one that is kept. */
  private async verifySuccession(log: LogStore, kept: string, newest: Checkpoint): Promise<void> {
    const refusal = new BrokenLog(`the log ${newest.origin} does not follow ${kept}, of which a checkpoint is kept in DATA_DIR`);
    const origin = await log.origin(newest.origin);
    const leaf = origin && (await log.leaf(origin.id, 0));
    const before = /^origin (\S+) /.exec(leaf ?? '')?.[1];
    if (!origin || !leaf || !before) throw refusal;
    const proof = await log.hashesOf(origin.id, inclusionRanges(0, { start: 0, end: newest.size }));
    if (!verifyInclusion(Buffer.from(leaf), 0, newest, proof, sha256)) throw refusal;
    if (before === kept) return;
    const earlier = await log.origin(before);
    const note = earlier && (await log.newestCheckpoint(earlier.id))?.note;
    if (!note) throw refusal;
    const vkeys = this.keys.map((key) => key.vkeyOf(before));
    await this.verifySuccession(log, kept, await readCheckpoint(note, vkeys));
  }
}

const describe = ({ origin, size }: Checkpoint) => `one of ${origin} with ${size} leaves`;

async function verifyGrowth(log: LogStore, kept: Checkpoint, newest: Checkpoint): Promise<void> {
  if (newest.size < kept.size) {
    throw new BrokenLog(`the newest checkpoint of the database has ${newest.size} leaves, but ${describe(kept)} is kept in DATA_DIR`);
  }
  const origin = await log.origin(newest.origin);
  const proof = await log.hashesOf(origin!.id, consistencyRanges(kept.size, newest.size));
  if (!verifyConsistency(kept, newest, proof, sha256)) {
    throw new BrokenLog(`the tree of the database does not go on from the one that is kept in DATA_DIR: ${describe(kept)}`);
  }
}
