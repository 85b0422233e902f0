import type { Pool, PoolClient } from 'pg';
import type { Reason } from '../../core/reason.js';
import { ask } from '../../database/long-reads.js';
import type { Alarms } from '../../jobs/outbound/alarms.js';
import { homeAlarm } from '../../jobs/outbound/outbound-hold.js';
import type { Task } from '../../jobs/task.js';
import { recordAction } from '../../operator-log/record-action.js';
import type { Checkpoint } from '../verifier/verify-ledger.js';
import { changedBalances, newReleases } from './changed-leaves.js';
import { BrokenLog, type CheckpointKey, readOurs, signCheckpoint } from './checkpoint.js';
import type { KeptCheckpoints } from './kept-checkpoints.js';
import { type Leaf, type LogOrigin, LogStore, type StoredCheckpoint } from './log.store.js';
import { hashRelease } from './release-root.js';
import { GrowingTree } from './tree.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      'sign-checkpoint': object;
    }
  }
}

/** A new tree after a restore that lost what the old one had. */
export interface NewOrigin {
  /** The newest known checkpoint of the old one. */
  after: Checkpoint;
  reason: Reason;
  /** Who began it, for the activity log. */
  actor: string;
}

// A million balances are joined with their places in memory.
const begin = `begin; set transaction isolation level repeatable read; set local statement_timeout = 0;
  set local idle_in_transaction_session_timeout = 0; set local work_mem = '128MB'`;

/** Appends what changed to the log, and signs the result. */
export class CheckpointSigner {
  /**
   * @param keys the present one, and the one before while the secret is rotated
   * @param host the public name of the service, with which origins begin
   */
  constructor(
    private readonly pool: Pool,
    private readonly keys: [CheckpointKey, ...CheckpointKey[]],
    private readonly kept: KeptCheckpoints,
    private readonly host: string,
  ) {}

  /**
   * @returns the new checkpoint; null: another server is signing. A new origin waits for it
   * @throws BrokenLog if the log, or what it says of the books, is not what was signed before
   */
  async sign(signal?: AbortSignal, newOrigin: NewOrigin | null = null): Promise<string | null> {
    return this.locked(newOrigin !== null, async (db) => {
      let note = await this.append(db, newOrigin, signal);
      // Hashing a release takes as long as reading it, so what is there already is signed first.
      if (await this.hashReleases(db, signal)) note = await this.append(db, null, signal);
      await this.kept.keep(note);
      return note;
    });
  }

  /** Signs the first checkpoint, without waiting for the hashes of releases. @throws BrokenLog */
  async begin(): Promise<void> {
    await this.locked(true, (db) => this.append(db, null, undefined));
  }

  /** @param waits up to the connection's limit, instead of leaving it to the server that is at it */
  private async locked<T>(waits: boolean, work: (db: PoolClient) => Promise<T>): Promise<T | null> {
    const db = await this.pool.connect();
    let undo = 'rollback; ';
    try {
      const lock = waits ? 'true as locked from pg_advisory_lock' : 'locked from pg_try_advisory_lock';
      const [row] = await ask<{ locked: boolean }>(db, `select ${lock}(hashtext('sign checkpoint')) locked`);
      const done = row!.locked ? await work(db) : null;
      undo = '';
      return done;
    } finally {
      // Whoever signs next must not find the lock still held, so this is awaited. Closing a broken connection releases it, too.
      const isReleased = await db.query(`${undo}select pg_advisory_unlock_all()`).then(
        () => true,
        () => false,
      );
      db.release(!isReleased);
    }
  }

  /** All of it is one transaction: a server that dies in the middle leaves nothing. */
  private async append(db: PoolClient, newOrigin: NewOrigin | null, signal: AbortSignal | undefined): Promise<string> {
    await db.query(begin);
    const log = new LogStore(db);
    const newest = await log.newestCheckpoint();
    const tree = new GrowingTree();
    const old = newest && !newOrigin ? await this.verifyNewest(log, newest, tree) : null;
    if (!newest && !newOrigin) await this.refuseLostLog(db, log);
    const origin = old ? { id: newest!.originId, name: newest!.origin } : await this.beginOrigin(db, newOrigin);
    const size = tree.size;
    const time = await timeAfter(db, old?.time ?? newOrigin?.after.time ?? null);
    await log.append(origin.id, tree, [
      ...(newOrigin ? [{ text: originLeaf(newOrigin), subject: null }] : []),
      { text: `time ${time}`, subject: null },
      ...(await this.keyLeaf(log, origin)),
    ]);
    await log.append(origin.id, tree, await newReleases(db, origin));
    for await (const leaves of changedBalances(db, log, origin, { size, time: old?.time ?? null })) {
      await log.append(origin.id, tree, leaves);
      signal?.throwIfAborted();
    }
    signal?.throwIfAborted();
    const note = signCheckpoint({ origin: origin.name, size: tree.size, root: tree.root(), time }, await this.signers(log, origin));
    await db.query('insert into log_checkpoint (origin_id, size, note) values ($1, $2, $3)', [origin.id, tree.size, note]);
    await db.query('commit');
    return note;
  }

  /**
   * Feeds the tree with the stored log.
   * @returns the newest checkpoint
   */
  private async verifyNewest(log: LogStore, { originId, origin, size, note }: StoredCheckpoint, tree: GrowingTree): Promise<Checkpoint> {
    const checkpoint = await readOurs(note, this.keys);
    if (checkpoint.origin !== origin || checkpoint.size !== size) throw new BrokenLog('the newest checkpoint is not where it belongs');
    const stored = await log.size(originId);
    if (stored !== size) throw new BrokenLog(`the log has ${stored} leaves, and ${size} were signed`);
    if ((await log.newestOrigin())!.id !== originId) throw new BrokenLog('the database has an origin of which nothing was signed');
    await log.feed(originId, size, tree);
    if (!tree.root().equals(checkpoint.root)) throw new BrokenLog('the stored tree does not have the root that was signed last');
    await this.kept.verify(log, checkpoint);
    return checkpoint;
  }

  /** The first server begins the log when it starts. So later entries without a log, or a kept checkpoint, mean that it was deleted. */
  private async refuseLostLog(db: PoolClient, log: LogStore): Promise<void> {
    await this.kept.verify(log, null);
    const { rowCount } = await db.query('select from ledger_entry where at > (select begun_at from database_home) limit 1');
    if (rowCount) throw new BrokenLog('the database has entries, but no log of them: it was deleted, or lost in a restore');
  }

  private async beginOrigin(db: PoolClient, newOrigin: NewOrigin | null): Promise<LogOrigin> {
    const { rows } = await db.query<LogOrigin>(
      `insert into log_origin (name)
       values (concat($1::text, '/ledger/', to_char(service_now() at time zone 'UTC', 'YYYYMMDD"T"HH24MISS"Z"'))) returning id, name`,
      [this.host],
    );
    if (newOrigin) {
      const { after, reason, actor } = newOrigin;
      await db.query('delete from alarm where source <> $1', [homeAlarm]); // who confirms a copy ends that one
      const before = { origin: after.origin, size: after.size };
      await recordAction(db, { actor, action: 'begin a new log', target: rows[0]!.name, reason, before });
    }
    return rows[0]!;
  }

  /** The leaf that names the present key, if it is new to the tree, signed by the one before. */
  private async keyLeaf(log: LogStore, { id, name }: LogOrigin): Promise<Leaf[]> {
    const [key, previous] = this.keys;
    const vkey = key.vkeyOf(name);
    const named = await namedKeys(log, id);
    // Also one that is named no longer as the newest: while servers are restarted one by one, some have the secret before.
    if (named.includes(vkey)) return [];
    if (named.length === 0) return [{ text: `key ${vkey}`, subject: `key ${vkey}` }];
    if (!previous || !named.includes(previous.vkeyOf(name))) {
      throw new BrokenLog('AUTH_SECRET was changed without AUTH_SECRET_PREVIOUS: the log names another key');
    }
    return [{ text: previous.leafOfSuccessor(vkey, name), subject: `key ${vkey}` }];
  }

  /** The present key, and during a rotation also the one before, for those who know only that. */
  private async signers(log: LogStore, { id, name }: LogOrigin): Promise<CheckpointKey[]> {
    const named = await namedKeys(log, id);
    return this.keys.filter((key) => named.includes(key.vkeyOf(name)));
  }

  /** @returns whether there were any */
  private async hashReleases(db: PoolClient, signal: AbortSignal | undefined): Promise<boolean> {
    const releases = await ask<{ id: number }>(db, `select r.id from parcel_release r where ${isUnhashed} order by r.id`);
    for (const { id } of releases) {
      await db.query(begin);
      const hashed = await hashRelease(db, id, () => signal?.throwIfAborted());
      // A prune that ran meanwhile is not in this snapshot; one that ran before left no records to hash.
      await db.query(
        `insert into release_root (release_id, records, root, chunks, attributes_sha256)
         select $1, $2, $3, $4, $5 from parcel_release where id = $1 and state = 'published'`,
        [id, hashed.records, hashed.root, Buffer.concat(hashed.chunks), hashed.attributesSha256],
      );
      await db.query('commit');
    }
    return releases.length > 0;
  }
}

/** SQL for whether the log does not have `parcel_release r` yet. */
export const isUnhashed = `r.state = 'published' and not exists (select from release_root h where h.release_id = r.id)`;

const namedKeys = async (log: LogStore, originId: number): Promise<string[]> =>
  (await log.keyLeaves(originId)).map(({ text }) => text.split(' ')[1]!);

/** Now, in microseconds. Times of the log never go back, even if the clock does. */
async function timeAfter(db: PoolClient, before: number | null): Promise<number> {
  const { rows } = await db.query<{ time: number }>(
    'select greatest((extract(epoch from service_now()) * 1000000)::bigint, $1::bigint + 1)::float as time',
    [before],
  );
  return rows[0]!.time;
}

const originLeaf = ({ after: { origin, size, root }, reason }: NewOrigin): string =>
  `origin ${origin} ${size} ${Buffer.from(root).toString('base64')} ${reason.replaceAll(/\s+/g, ' ')}`;

/** The source of the job's alarm. */
export const jobSource = 'job';

/** Appends what changed to the log and signs a checkpoint; raises an alarm instead if the log is broken. */
export const signCheckpointTask = (
  signer: CheckpointSigner,
  alarms: Alarms,
  onSigned: () => Promise<unknown>,
): Task<'sign-checkpoint'> => ({
  name: 'sign-checkpoint',
  // The first one hashes every record that can be read.
  timeLimitSeconds: 6 * 60 * 60,
  run: async (_, { signal }) => {
    try {
      if (!(await signer.sign(signal))) return;
      await alarms.clear(jobSource);
      await alarms.clearForgotten();
      await onSigned();
    } catch (error) {
      // Trying again would not mend it: the next hour does, if somebody has mended it.
      if (!(error instanceof BrokenLog)) throw error;
      await alarms.raise(jobSource, error.message);
    }
  },
});
