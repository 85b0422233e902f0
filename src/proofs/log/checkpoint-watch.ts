import type { Pool } from 'pg';
import type { Alarms } from '../../jobs/outbound/alarms.js';
import { addJob } from '../../jobs/task.js';
import { BrokenLog, type CheckpointKey, readOurs } from './checkpoint.js';
import type { KeptCheckpoints } from './kept-checkpoints.js';
import { LogStore } from './log.store.js';
import { isUnhashed } from './sign-checkpoint.js';

/** Keeps the newest checkpoint on this server, if it goes on from the one before, and has new releases logged. */
export class CheckpointWatch {
  /** The newest checkpoint that this server verified. */
  newest: string | null = null;

  /** @param source the alarms of this server */
  constructor(
    private readonly pool: Pool,
    private readonly keys: CheckpointKey[],
    private readonly kept: KeptCheckpoints,
    private readonly alarms: Alarms,
    private readonly source: string,
  ) {}

  /** The key that signed it. */
  get newestKey(): string | null {
    const note = this.newest ?? '';
    const text = note.slice(0, note.indexOf('\n\n') + 1);
    const origin = text.split('\n')[0]!;
    return this.keys.find((key) => note.includes(key.signatureLine(text, origin)))?.vkeyOf(origin) ?? null;
  }

  async look(): Promise<void> {
    try {
      await this.follow(new LogStore(this.pool));
      await this.alarms.clear(this.source);
    } catch (error) {
      if (!(error instanceof BrokenLog)) throw error;
      await this.alarms.raise(this.source, error.message);
    }
    const { rowCount } = await this.pool.query(`select from parcel_release r where ${isUnhashed} limit 1`);
    if (rowCount) await addJob(this.pool, 'sign-checkpoint', {}, { key: 'sign-checkpoint', queue: 'sign-checkpoint' });
  }

  private async follow(log: LogStore): Promise<void> {
    this.newest ??= await this.kept.newest();
    const newest = await log.newestCheckpoint();
    if (newest && newest.note === this.newest) return;
    const checkpoint = newest && (await readOurs(newest.note, this.keys));
    await this.kept.verify(log, checkpoint);
    if (!newest) return;
    await this.kept.keep(newest.note);
    this.newest = newest.note;
  }
}
