import type { Pool, PoolClient } from 'pg';
import type { Reason } from '../../core/reason.js';
import { ask, rowsOf } from '../../database/long-reads.js';
import type { Alarms } from '../../jobs/outbound/alarms.js';
import { homeAlarm } from '../../jobs/outbound/outbound-hold.js';
import type { Task } from '../../jobs/task.js';
import { recordAction } from '../../operator-log/record-action.js';
import type { Checkpoint } from '../verifier/verify-ledger.js';
import { appendBalances, appendLeaves, appendReleases, checkLoggedBalances } from './append-changes.js';
import { BrokenLog, type CheckpointKey, readCheckpoint, signCheckpoint } from './checkpoint.js';
import type { KeptCheckpoint } from './kept-checkpoint.js';
import { type LogOrigin, LogStore, type StoredCheckpoint } from './log.store.js';
import { hashRelease } from './release-root.js';
import { type GrowingTree, hashLeaf, type StoredNode } from './tree.js';

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

const fetchedAtOnce = 10_000;

// A million balances and their newest leaves are compared in memory.
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
    private readonly kept: KeptCheckpoint,
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
      await this.kept.write(note);
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
    const old = newest && !newOrigin ? await this.verifyNewest(log, newest) : null;
    if (!newest && !newOrigin) await this.kept.verify(log, null);
    const origin = old ? { id: newest!.originId, name: newest!.origin } : await this.beginOrigin(db, newOrigin);
    const size = old?.size ?? 0;
    const changed = await checkLoggedBalances(db);
    const texts = [...(newOrigin ? [originLeaf(newOrigin)] : []), await timeLeaf(db), ...(await this.keyLeaf(log, origin))];
    await appendLeaves(db, origin.id, size, texts);
    const releases = await appendReleases(db, origin.id, size + texts.length);
    if (changed > 0) await appendBalances(db, origin.id, size + texts.length + releases);
    const tree = old ?? (await log.treeOf(origin.id, 0));
    await growTree(db, log, origin, tree, signal);
    const note = signCheckpoint({ origin: origin.name, size: tree.size, root: tree.root() }, await this.signers(log, origin));
    await db.query('insert into log_checkpoint (origin_id, size, note) values ($1, $2, $3)', [origin.id, tree.size, note]);
    await db.query('commit');
    return note;
  }

  /** @returns the tree of the newest checkpoint */
  private async verifyNewest(log: LogStore, { originId, origin, size, note }: StoredCheckpoint): Promise<GrowingTree> {
    const checkpoint = await readCheckpoint(note, this.vkeys(origin)).catch((error: Error) => {
      throw new BrokenLog(`the newest checkpoint was not signed by AUTH_SECRET or AUTH_SECRET_PREVIOUS: ${error.message}`);
    });
    if (checkpoint.origin !== origin || checkpoint.size !== size) throw new BrokenLog('the newest checkpoint is not where it belongs');
    const stored = await log.size(originId);
    if (stored !== size) throw new BrokenLog(`the log has ${stored} leaves, and ${size} were signed`);
    if ((await log.newestOrigin())!.id !== originId) throw new BrokenLog('the database has an origin of which nothing was signed');
    const tree = await log.treeOf(originId, size);
    if (!tree.root().equals(checkpoint.root)) throw new BrokenLog('the stored tree does not have the root that was signed last');
    await this.kept.verify(log, checkpoint);
    return tree;
  }

  private async beginOrigin(db: PoolClient, newOrigin: NewOrigin | null): Promise<LogOrigin> {
    const { rows } = await db.query<LogOrigin>(
      `insert into log_origin (name)
       values (concat($1::text, '/ledger/', to_char(service_now() at time zone 'UTC', 'YYYYMMDD"T"HH24MISS"Z"'))) returning id, name`,
      [this.host],
    );
    if (newOrigin) {
      const { after, reason, actor } = newOrigin;
      await db.query('delete from logged_balance'); // the new tree has none of them
      await db.query('delete from alarm where source <> $1', [homeAlarm]); // who confirms a copy ends that one
      const before = { origin: after.origin, size: after.size };
      await recordAction(db, { actor, action: 'begin a new log', target: rows[0]!.name, reason, before });
    }
    return rows[0]!;
  }

  /** The leaf that names the present key, if it is new to the tree. */
  private async keyLeaf(log: LogStore, { id, name }: LogOrigin): Promise<string[]> {
    const [present, previous] = this.vkeys(name);
    const named = await log.keys(id);
    // Also one that is named no longer as the newest: while servers are restarted one by one, some have the secret before.
    if (named.includes(present!)) return [];
    if (named.length > 0 && !named.includes(previous!)) {
      throw new BrokenLog('AUTH_SECRET was changed without AUTH_SECRET_PREVIOUS: the log names another key');
    }
    return [`key ${present}`];
  }

  /** The present key, and during a rotation also the one before, for those who know only that. */
  private async signers(log: LogStore, { id, name }: LogOrigin): Promise<CheckpointKey[]> {
    const named = await log.keys(id);
    return this.keys.filter((key) => named.includes(key.vkeyOf(name)));
  }

  private vkeys(origin: string): string[] {
    return this.keys.map((key) => key.vkeyOf(origin));
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

/** Of `parcel_release r`: the log does not have it yet. */
export const isUnhashed = `r.state = 'published' and not exists (select from release_root h where h.release_id = r.id)`;

async function timeLeaf(db: PoolClient): Promise<string> {
  const { rows } = await db.query<{ text: string }>(
    `select concat('time ', (extract(epoch from service_now()) * 1000000)::bigint) as text`,
  );
  return rows[0]!.text;
}

const originLeaf = ({ after: { origin, size, root }, reason }: NewOrigin): string =>
  `origin ${origin} ${size} ${Buffer.from(root).toString('base64')} ${reason.replaceAll(/\s+/g, ' ')}`;

/** Hashes the leaves that were appended, as they are stored. */
async function growTree(db: PoolClient, log: LogStore, { id }: LogOrigin, tree: GrowingTree, signal: AbortSignal | undefined) {
  const texts = 'select text from log_leaf where origin_id = $1 and leaf_index >= $2 order by leaf_index';
  const full: StoredNode[] = [];
  for await (const rows of rowsOf<{ text: string }>(db, texts, [id, tree.size], fetchedAtOnce)) {
    for (const { text } of rows) tree.append(hashLeaf(text), (node) => full.push(node));
    signal?.throwIfAborted();
  }
  await log.addNodes(id, full);
}

const source = 'job';

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
      await alarms.clear(source);
      await alarms.clearForgotten();
      await onSigned();
    } catch (error) {
      // Trying again would not mend it: the next hour does, if somebody has mended it.
      if (!(error instanceof BrokenLog)) throw error;
      await alarms.raise(source, error.message);
    }
  },
});
