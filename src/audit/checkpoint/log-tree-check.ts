import type { ClientBase } from 'pg';
import { ask } from '../../database/long-reads.js';
import type { AuditStep, BooksCheck } from '../../ledger/books-check.js';
import { readCheckpoint, readTrusted } from '../../proofs/log/checkpoint.js';
import { type LogOrigin, LogStore } from '../../proofs/log/log.store.js';
import { GrowingTree, hashLeaf } from '../../proofs/log/tree.js';
import type { Checkpoint } from '../../proofs/verifier/verify-ledger.js';

/** A checkpoint from outside of the database, and keys of which one must have signed it; null: its place needs no signature. */
export interface OutsideCheckpoint {
  note: string;
  vkeys: string[] | null;
}

/** The log, proven to be the checkpoint's: the other checks compare with it. */
export interface ProvenLog {
  originId: number;
  /** The leaves up to here are proved; all of them if the tree is broken already. */
  size: number;
  /** When the checkpoint and those after it were signed, in order: microseconds since 1970. */
  signedAt: number[];
  /** The leaves of releases. */
  releases: string[];
}

const leavesAtOnce = 10_240;

/** @param onProven gets the log, unless the checkpoint is not to be trusted or of no log here */
export const logTreeCheck = (outside: OutsideCheckpoint, onProven: (log: ProvenLog) => void): BooksCheck => ({
  invariants: ['the log is the one of the checkpoint, leaf for leaf, and whatever was appended since is signed by its key'],
  async *run(db) {
    const broken = (firstBreak: string): AuditStep => ({ checked: 0, firstBreak, share: 1 });
    const { note, vkeys } = outside;
    const checkpoint = await (vkeys ? readCheckpoint(note, vkeys) : readTrusted(note)).catch((error: Error) => error.message);
    if (typeof checkpoint === 'string') return yield broken(checkpoint);
    const log = new LogStore(db);
    const origin = await log.origin(checkpoint.origin);
    if (!origin) return yield broken(`the database has no log ${checkpoint.origin}, to which the checkpoint belongs`);
    const size = await log.size(origin.id);
    const releases: string[] = [];
    const { heads, fault } = await signedHeads(db, origin, checkpoint, vkeys);
    onProven({ originId: origin.id, size, signedAt: heads.map(({ time }) => time ?? 0), releases });
    if (size < checkpoint.size) yield broken(`the log has ${size} leaves, the checkpoint ${checkpoint.size}: it was cut back`);
    if (fault) yield broken(fault);
    const last = heads.at(-1)!.size;
    if (!fault && size > last) yield broken(`the log has ${size} leaves, and ${last} were signed`);
    yield* compareLeaves(log, origin.id, size, heads, releases);
  },
});

/**
 * The checkpoints of the database from the given one on. A key is to be trusted if it is given, or if its `key` leaf came with a checkpoint
 * that one trusted before has signed.
 */
async function signedHeads(db: ClientBase, { id, name }: LogOrigin, given: Checkpoint, vkeys: string[] | null): Promise<SignedHeads> {
  const heads: Checkpoint[] = [given];
  const named = (await new LogStore(db).keyLeaves(id)).map(({ index, text }) => ({ index, vkey: text.split(' ')[1]! }));
  const trusted = new Set(vkeys ?? named.filter(({ index }) => index < given.size).map(({ vkey }) => vkey));
  const notes = await ask<{ size: number; note: string }>(
    db,
    'select size::float as size, note from log_checkpoint where origin_id = $1 and size >= $2 order by size',
    [id, given.size],
  );
  if (notes[0]?.size !== given.size) return { heads, fault: 'the database does not have the checkpoint itself' };
  for (const { size, note } of notes) {
    const head = await readCheckpoint(note, [...trusted]).catch((error: Error) => error.message);
    if (typeof head === 'string') return { heads, fault: `the checkpoint of ${size} leaves in the database: ${head}` };
    if (head.origin !== name || head.size !== size) return { heads, fault: `the checkpoint of ${size} leaves in the database is another` };
    heads.push(head);
    for (const { index, vkey } of named) if (index < size) trusted.add(vkey);
  }
  return { heads, fault: null };
}

interface SignedHeads {
  heads: Checkpoint[];
  fault: string | null;
}

/** Computes the tree from its leaves, and compares its root with that of each checkpoint. */
async function* compareLeaves(
  log: LogStore,
  originId: number,
  size: number,
  heads: Checkpoint[],
  releases: string[],
): AsyncIterable<AuditStep> {
  const tree = new GrowingTree();
  let [next, lastTime] = [0, 0];
  let firstBreak: string | null = null;
  for (let start = 0; start < size; start += leavesAtOnce) {
    const texts = await log.leaves(originId, { start, end: start + leavesAtOnce });
    for (const text of texts) {
      tree.append(hashLeaf(text));
      if (text.startsWith('release ')) releases.push(text);
      const time = Number(/^time (\d{1,16})$/.exec(text)?.[1] ?? lastTime + 1);
      if (time <= lastTime) firstBreak ??= `leaf ${tree.size - 1} says “${text}”, which is not after the batch before it`;
      if (text.startsWith('time ')) lastTime = time;
      for (; heads[next]?.size === tree.size; next++) {
        if (tree.root().equals(heads[next]!.root)) continue;
        const whose = next === 0 ? 'the checkpoint' : 'a later one';
        firstBreak ??= `the first ${tree.size} leaves do not have the root of ${whose}: one of them was changed`;
      }
    }
    yield { checked: texts.length, firstBreak, share: Math.min(1, (start + leavesAtOnce) / size) };
  }
  if (tree.size < size) yield { checked: 0, firstBreak: `the log lacks ${size - tree.size} of its ${size} leaves`, share: 1 };
}
