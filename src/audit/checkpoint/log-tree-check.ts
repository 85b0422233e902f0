import type { ClientBase } from 'pg';
import { type AuditStep, ask, type BooksCheck, rowsOf } from '../../ledger/books-check.js';
import { readCheckpoint } from '../../proofs/log/checkpoint.js';
import { GrowingTree } from '../../proofs/log/growing-tree.js';
import { LogStore } from '../../proofs/log/log.store.js';
import { hashLeaf } from '../../proofs/log/tree.js';
import type { Checkpoint } from '../../proofs/verifier/verify-ledger.js';

/** A checkpoint from outside of the database, and keys of which one must have signed it. */
export interface OutsideCheckpoint {
  note: string;
  vkeys: string[];
}

/** What the other checks compare with. */
export interface ProvenLog {
  originId: number;
  /** The leaves up to here are proved; all of them if the tree is broken already. */
  size: number;
  /** When the checkpoint was signed: microseconds since 1970. */
  signedAt: number;
}

interface StoredNote {
  size: number;
  note: string;
}

const fetchedAtOnce = 10_000;

/** @param onProven gets the log, unless the checkpoint is not to be trusted or of no log here */
export const logTreeCheck = (outside: OutsideCheckpoint, onProven: (log: ProvenLog) => void): BooksCheck => ({
  invariant: 'the log is the one of the checkpoint, leaf for leaf, and whatever was appended since is signed by its key',
  async *run(db) {
    const broken = (firstBreak: string): AuditStep => ({ checked: 0, firstBreak, share: 1 });
    const checkpoint = await readCheckpoint(outside.note, outside.vkeys).catch((error: Error) => error.message);
    if (typeof checkpoint === 'string') return yield broken(checkpoint);
    const log = new LogStore(db);
    const origin = await log.origin(checkpoint.origin);
    if (!origin) return yield broken(`the database has no log ${checkpoint.origin}, of which the checkpoint is`);
    const size = await log.size(origin.id);
    onProven({ originId: origin.id, size, signedAt: await signedAt(db, origin.id, checkpoint.size) });
    if (size < checkpoint.size) yield broken(`the log has ${size} leaves, the checkpoint ${checkpoint.size}: it was cut back`);
    yield* compareLeaves(db, origin.id, size, checkpoint);
    const faulty = await faultySignature(log, db, origin, checkpoint, outside.vkeys);
    if (faulty) yield broken(faulty);
  },
});

async function signedAt(db: ClientBase, originId: number, size: number): Promise<number> {
  const [leaf] = await ask<{ text: string }>(
    db,
    `select text from log_leaf where origin_id = $1 and leaf_index < $2 and text ~ '^time [0-9]{1,16}$' order by leaf_index desc limit 1`,
    [originId, size],
  );
  return Number(leaf?.text.split(' ')[1] ?? 0);
}

/** Computes the tree from its leaves, and compares its root with that of each checkpoint from the given one on. */
async function* compareLeaves(db: ClientBase, originId: number, size: number, checkpoint: Checkpoint): AsyncIterable<AuditStep> {
  const heads = new Map([[checkpoint.size, Buffer.from(checkpoint.root)]]);
  for (const { size: later, note } of await notesAfter(db, originId, checkpoint.size)) {
    heads.set(later, Buffer.from(note.split('\n')[2] ?? '', 'base64'));
  }
  const tree = new GrowingTree();
  let firstBreak: string | null = null;
  const compare = () => {
    const root = heads.get(tree.size);
    if (!root || tree.root().equals(root)) return;
    const whose = tree.size === checkpoint.size ? 'the checkpoint' : 'a later one';
    firstBreak ??= `the first ${tree.size} leaves do not have the root of ${whose}: one of them was changed`;
  };
  const texts = 'select text from log_leaf where origin_id = $1 order by leaf_index';
  for await (const rows of rowsOf<{ text: string }>(db, texts, [originId], fetchedAtOnce)) {
    for (const { text } of rows) {
      tree.append(hashLeaf(text));
      if (heads.has(tree.size)) compare();
    }
    yield { checked: rows.length, firstBreak, share: tree.size / size };
  }
}

const notesAfter = (db: ClientBase, originId: number, size: number): Promise<StoredNote[]> =>
  ask<StoredNote>(db, 'select size::float as size, note from log_checkpoint where origin_id = $1 and size >= $2 order by size', [
    originId,
    size,
  ]);

/** A key is to be trusted if it is given, or if its `key` leaf came with a checkpoint that one trusted before has signed. */
async function faultySignature(
  log: LogStore,
  db: ClientBase,
  { id, name }: { id: number; name: string },
  checkpoint: Checkpoint,
  vkeys: string[],
): Promise<string | null> {
  const named = await log.namedKeys(id);
  const trusted = new Set(vkeys);
  const notes = await notesAfter(db, id, checkpoint.size);
  if (!notes.some(({ size }) => size === checkpoint.size)) return 'the database does not have the checkpoint itself';
  for (const { size, note } of notes) {
    const signed = await readCheckpoint(note, [...trusted]).catch((error: Error) => error.message);
    if (typeof signed === 'string') return `the checkpoint of ${size} leaves in the database: ${signed}`;
    if (signed.origin !== name || signed.size !== size) return `the checkpoint of ${size} leaves in the database says other things`;
    for (const { index, vkey } of named) if (index < size) trusted.add(vkey);
  }
  const last = notes.at(-1)!.size;
  const stored = await log.size(id);
  return stored === last ? null : `the log has ${stored} leaves, and ${last} were signed`;
}
